package main

import (
	"bytes"
	"math/bits"
	"os"
	"path/filepath"
	"sort"
	"strconv"
	"syscall"
	"time"
	"unsafe"
)

const (
	prSetChildSubreaper = 36
	fSetPipeSize        = 1031
	pipeSize            = 1 << 20
	mostProcessors      = 1 << 13
	monitorTries        = 20
	monitorWait         = 200 * time.Microsecond
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

// processors is a set of them, a bit each.
type processors [mostProcessors / 8]byte

// allow lets a thread use these processors only.
func (set *processors) allow(thread int) {
	_, _, _ = syscall.RawSyscall(
		syscall.SYS_SCHED_SETAFFINITY, uintptr(thread), unsafe.Sizeof(*set), uintptr(unsafe.Pointer(set)))
}

// elsewhere holds the processors that this process might use before it stayed on one of them; nil where it may
// use them still, or never had another.
var elsewhere *processors

// freeMonitor lets the thread that watches a Go process (sysmon) use every processor again: the second one that
// the runtime starts. In its first milliseconds, and in those after some collections of garbage, it wakes every
// 20 microseconds; beside a benchmark that takes a tenth of a short measurement, in one process and not in the
// next.
func freeMonitor(pid int) {
	if elsewhere == nil {
		return
	}
	for try := 0; try < monitorTries; try++ {
		if threads := threadsOf(strconv.Itoa(pid)); len(threads) > 1 {
			elsewhere.allow(threads[1])
			return
		}
		time.Sleep(monitorWait)
	}
}

// threadsOf returns the threads of a process, the oldest first.
func threadsOf(process string) []int {
	var threads []int
	entries, _ := os.ReadDir("/proc/" + process + "/task")
	for _, entry := range entries {
		if id, err := strconv.Atoi(entry.Name()); err == nil {
			threads = append(threads, id)
		}
	}
	sort.Ints(threads)
	return threads
}

// stayOnOneProcessor binds this process, and with it every one that it starts, to the last processor that it may
// use: the first ones serve most interrupts. Where its reader is elsewhere, each line that a benchmark prints
// wakes another processor, which takes longer than reading it.
func stayOnOneProcessor() {
	var allowed, only processors
	size, place := unsafe.Sizeof(allowed), uintptr(unsafe.Pointer(&allowed))
	if _, _, failed := syscall.RawSyscall(syscall.SYS_SCHED_GETAFFINITY, 0, size, place); failed != 0 {
		return
	}
	last := len(allowed) - 1
	for last > 0 && allowed[last] == 0 {
		last--
	}
	only[last] = 1 << (bits.Len8(allowed[last]) - 1)
	for _, thread := range threadsOf("self") {
		only.allow(thread)
	}
	if only != allowed {
		elsewhere = &allowed
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
