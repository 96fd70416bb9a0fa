//go:build !(aix || darwin || dragonfly || freebsd || linux || netbsd || openbsd)
// +build !aix,!darwin,!dragonfly,!freebsd,!linux,!netbsd,!openbsd

package absauditprobe

import "os"

// outputs are the files, and memories what belongs into them.
var (
	outputs  []*os.File
	memories [][]byte
)

// contents returns memory that flush writes to the file: calls since the last delay are missing there.
func contents(file *os.File, size int) ([]byte, error) {
	outputs, memories = append(outputs, file), append(memories, make([]byte, size))
	return memories[len(memories)-1], nil
}

func flush() {
	for place, output := range outputs {
		output.WriteAt(memories[place], 0)
	}
}

// processorNs returns nothing: it is not known.
func processorNs() int64 { return 0 }
