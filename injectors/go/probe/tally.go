package absauditprobe

import (
	"encoding/binary"
	"os"
	"strconv"
	"strings"
	"time"
	"unsafe"
)

const (
	buildID  = "@BUILD_ID@"
	mark     = "absgo 1\n"
	headSize = 64
	turnsAt  = 40
	siteSize = int(unsafe.Sizeof(Site{}))
)

// turnsHad is what a tally says of the turns of its arm.
type turnsHad struct {
	number       int64
	sinceFirstNs int64
}

// newTally returns a record for each method and one of the turns, in a file if a variable names one.
func newTally(variable string, methods []string) ([]Site, *turnsHad) {
	names := strings.Join(append(methods, ""), "\n")
	size := headSize + siteSize*len(methods) + len(names)
	memory := make([]byte, size)
	if path := os.Getenv(variable); path != "" {
		memory = file(variable, path+"."+copyNumber+"."+strconv.Itoa(os.Getpid())+"."+nonce(), size)
	}
	binary.LittleEndian.PutUint64(memory[8:], uint64(len(methods)))
	binary.LittleEndian.PutUint64(memory[16:], uint64(len(names)))
	copy(memory[24:40], buildID)
	copy(memory[headSize+siteSize*len(methods):], names)
	copy(memory, mark)
	sites := make([]Site, 0)
	if len(methods) > 0 {
		sites = (*[1 << 20]Site)(unsafe.Pointer(&memory[headSize]))[:len(methods):len(methods)]
	}
	return sites, (*turnsHad)(unsafe.Pointer(&memory[turnsAt]))
}

func nonce() string { return strconv.FormatInt(time.Now().UnixNano(), 10) }

// file returns the content of a new file; without its tally a measurement is worth nothing.
func file(variable, path string, size int) []byte {
	created, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0600)
	if err != nil {
		fail(variable + ": " + err.Error())
	}
	if err := created.Truncate(int64(size)); err != nil {
		fail(variable + ": " + err.Error())
	}
	memory, err := contents(created, size)
	if err != nil {
		fail(variable + ": " + path + ": " + err.Error())
	}
	return memory
}
