//go:build linux || darwin || freebsd || netbsd || openbsd || dragonfly || solaris
// +build linux darwin freebsd netbsd openbsd dragonfly solaris

package absauditprobe

import (
	"os"
	"syscall"
)

// memory returns the tally's memory: the file's own pages, shared by all copies of this package in a
// process. It panics where the file cannot be had, for a measurement without its tally is worth nothing.
func memory(size int) []byte {
	path := os.Getenv("ABS_PROBE_TALLY")
	if path == "" {
		return make([]byte, size)
	}
	file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		panic("abs-audit: " + err.Error())
	}
	defer file.Close()
	if err := file.Truncate(int64(size)); err != nil {
		panic("abs-audit: " + err.Error())
	}
	pages, err := syscall.Mmap(int(file.Fd()), 0, size, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_SHARED)
	if err != nil {
		panic("abs-audit: " + err.Error())
	}
	return pages
}
