//go:build !(aix || darwin || dragonfly || freebsd || linux || netbsd || openbsd)
// +build !aix,!darwin,!dragonfly,!freebsd,!linux,!netbsd,!openbsd

package absauditprobe

import "os"

var (
	output *os.File
	memory []byte
)

// contents returns memory that flush writes to the file: calls since the last payment are missing there.
func contents(file *os.File, size int) ([]byte, error) {
	output, memory = file, make([]byte, size)
	return memory, nil
}

func flush() {
	if output != nil {
		output.WriteAt(memory, 0)
	}
}
