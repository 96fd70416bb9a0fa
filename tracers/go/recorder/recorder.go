// Package absauditrecorder counts who calls the functions of a copy of the audited library.
//
// Counts live in a memory-mapped file of ABS_AUDIT_RECORD, one a process, so that they outlive panics and
// os.Exit: for each function three numbers of 64 bits, little endian: calls from the downstream project's
// own code, from the library itself, and from anything else. Frames of the standard library are skipped.
// Arguments are appended to a file beside it, a few per function: its number, a blank, and source text.
package absauditrecorder

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"unsafe"
)

const (
	direct = iota
	internal
	other
	kinds
)

const (
	mostSamples = 8
	longest     = 200
)

var (
	downstream = os.Getenv("ABS_AUDIT_DOWNSTREAM")
	table      = mapped()
	lock       sync.Mutex
	samples    [functions]map[string]bool
)

func mapped() *[functions*kinds + 1]int64 {
	folder := os.Getenv("ABS_AUDIT_RECORD")
	if folder == "" {
		return nil
	}
	const size = 8 * (functions*kinds + 1)
	file, err := os.CreateTemp(folder, "calls-*.counts")
	if err != nil {
		panic("abs-audit: " + err.Error())
	}
	defer file.Close()
	if err := file.Truncate(size); err != nil {
		panic("abs-audit: " + err.Error())
	}
	pages, err := syscall.Mmap(int(file.Fd()), 0, size, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_SHARED)
	if err != nil {
		panic("abs-audit: " + err.Error())
	}
	return (*[functions*kinds + 1]int64)(unsafe.Pointer(&pages[0]))
}

// Call counts one call of a function, for the kind of its nearest caller that is not the standard library.
func Call(function int, arguments ...interface{}) {
	if table == nil {
		return
	}
	kind := caller()
	atomic.AddInt64(&table[function*kinds+kind], 1)
	if kind == direct && len(arguments) > 0 {
		sample(function, arguments)
	}
}

func caller() int {
	var counters [32]uintptr
	// Callers, caller, Call and the function itself lie above its caller.
	frames := runtime.CallersFrames(counters[:runtime.Callers(4, counters[:])])
	for {
		frame, more := frames.Next()
		name := strings.ReplaceAll(frame.Function, "%2e", ".")
		switch {
		case within(name, downstream) && !(within(name, library) && len(library) > len(downstream)):
			return direct
		case within(name, library):
			return internal
		case name != "" && !standard(name):
			return other
		}
		if !more {
			return other
		}
	}
}

// within tells whether a function belongs to a module, its external tests included.
func within(function, module string) bool {
	if module == "" || !strings.HasPrefix(function, module) || len(function) == len(module) {
		return false
	}
	return strings.IndexByte("./_", function[len(module)]) >= 0
}

// standard tells whether a function is the standard library's: no dot in the first element of its path.
func standard(function string) bool {
	first, _, nested := strings.Cut(function, "/")
	if nested {
		return !strings.Contains(first, ".")
	}
	return true
}

func sample(function int, arguments []interface{}) {
	texts := make([]string, len(arguments))
	for i, one := range arguments {
		texts[i] = fmt.Sprintf("%#v", one)
	}
	text := strings.Join(texts, ", ")
	lock.Lock()
	defer lock.Unlock()
	if len(text) > longest || len(samples[function]) >= mostSamples || samples[function][text] {
		return
	}
	if samples[function] == nil {
		samples[function] = map[string]bool{}
	}
	samples[function][text] = true
	path := filepath.Join(os.Getenv("ABS_AUDIT_RECORD"), fmt.Sprintf("arguments-%d.txt", os.Getpid()))
	if file, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644); err == nil {
		fmt.Fprintf(file, "%d %s\n", function, text)
		file.Close()
	}
}
