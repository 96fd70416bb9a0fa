package main

import (
	"bytes"
	"math/bits"
	"os"
	"path/filepath"
	"strconv"
	"syscall"
	"unsafe"
)

const (
	prSetChildSubreaper = 36
	fSetPipeSize        = 1031
	pipeSize            = 1 << 20
	mostProcessors      = 1 << 13
)

func ownGroup() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}

func killGroup(pid int) { _ = syscall.Kill(-pid, syscall.SIGKILL) }

// adoptOrphans makes this process the parent of what a step leaves behind, detached or not.
func adoptOrphans() {
	_, _, _ = syscall.RawSyscall(syscall.SYS_PRCTL, prSetChildSubreaper, 1, 0)
}

// killOrphans kills and reaps all children until there are none; called when no step is running.
func killOrphans() {
	for {
		child, err := syscall.Wait4(-1, nil, syscall.WNOHANG, nil)
		if err == syscall.ECHILD {
			return
		}
		if child > 0 || err == syscall.EINTR {
			continue
		}
		for _, child := range childrenOf(os.Getpid()) {
			_ = syscall.Kill(child, syscall.SIGKILL)
			_, _ = syscall.Wait4(child, nil, 0, nil)
		}
	}
}

func childrenOf(parent int) []int {
	var children []int
	paths, _ := filepath.Glob("/proc/[0-9]*/stat")
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			continue
		}
		// The name in parentheses may hold anything; the parent is the second field after it.
		fields := bytes.Fields(text[bytes.LastIndexByte(text, ')')+1:])
		if len(fields) > 1 && string(fields[1]) == strconv.Itoa(parent) {
			child, _ := strconv.Atoi(filepath.Base(filepath.Dir(path)))
			children = append(children, child)
		}
	}
	return children
}

// stayOnOneProcessor binds this process, and with it every one that it starts, to the last processor that it may
// use: the first ones serve most interrupts. Where its reader is elsewhere, each line that a benchmark prints
// wakes another processor, which takes longer than reading it.
func stayOnOneProcessor() {
	var allowed [mostProcessors / 8]byte
	size, place := unsafe.Sizeof(allowed), uintptr(unsafe.Pointer(&allowed))
	if _, _, failed := syscall.RawSyscall(syscall.SYS_SCHED_GETAFFINITY, 0, size, place); failed != 0 {
		return
	}
	last := len(allowed) - 1
	for last > 0 && allowed[last] == 0 {
		last--
	}
	only := byte(1) << (bits.Len8(allowed[last]) - 1)
	clear(allowed[:])
	allowed[last] = only
	threads, _ := filepath.Glob("/proc/self/task/[0-9]*")
	for _, thread := range threads {
		id, _ := strconv.Atoi(filepath.Base(thread))
		_, _, _ = syscall.RawSyscall(syscall.SYS_SCHED_SETAFFINITY, uintptr(id), size, place)
	}
}

// widen gives a pipe more room, so that a noisy benchmark seldom waits for its reader.
func widen(pipe *os.File) {
	connection, err := pipe.SyscallConn()
	if err != nil {
		return
	}
	_ = connection.Control(func(descriptor uintptr) {
		_, _, _ = syscall.Syscall(syscall.SYS_FCNTL, descriptor, fSetPipeSize, pipeSize)
	})
}
