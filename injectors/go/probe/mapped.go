//go:build aix || darwin || dragonfly || freebsd || linux || netbsd || openbsd
// +build aix darwin dragonfly freebsd linux netbsd openbsd

package absauditprobe

import (
	"os"
	"syscall"
)

// contents returns the file's own pages.
func contents(file *os.File, size int) ([]byte, error) {
	defer file.Close()
	return syscall.Mmap(int(file.Fd()), 0, size, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_SHARED)
}

func flush() {}

// processorNs returns the processor time of the process.
func processorNs() int64 {
	var usage syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &usage) != nil {
		return 0
	}
	return usage.Utime.Nano() + usage.Stime.Nano()
}
