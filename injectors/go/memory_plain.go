//go:build !(linux || darwin || freebsd || netbsd || openbsd || dragonfly || solaris)
// +build !linux,!darwin,!freebsd,!netbsd,!openbsd,!dragonfly,!solaris

package absauditprobe

// memory returns memory that ends with the process: here no tally is left, so nothing is evidence.
func memory(size int) []byte { return make([]byte, size) }
