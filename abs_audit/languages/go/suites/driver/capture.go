package main

import (
	"bytes"
	"os"
	"sync/atomic"
	"time"
)

const (
	// A step says little beside noise; a listing names every benchmark, and why some fail.
	stepLimit    = 16 << 10
	listingLimit = 1 << 20

	markedLimit = 256 << 10
	lineLimit   = 2 << 10
)

// What a later reader looks for; everything else beyond the head is noise of the benchmark.
var (
	marks = [][]byte{[]byte("--- "), []byte("=== "), []byte("panic: "), []byte("fatal error: ")}
	unit  = []byte("ns/op")
)

// capture keeps the beginning of a stream, and of the rest the lines with a mark (their ends, where long).
type capture struct {
	limit   int
	copied  *os.File
	head    []byte
	marked  []byte
	line    []byte
	dropped bool
	// written is when something was, in nanoseconds; 0: never.
	written atomic.Int64
}

// silence returns for how long nothing was written, of a stream that was opened at some time.
func (c *capture) silence(opened time.Time) time.Duration {
	if written := c.written.Load(); written > 0 {
		return time.Since(time.Unix(0, written))
	}
	return time.Since(opened)
}

func (c *capture) Write(chunk []byte) (int, error) {
	size := len(chunk)
	c.written.Store(time.Now().UnixNano())
	if !c.dropped && len(c.head)+size <= c.limit {
		c.head = append(c.head, chunk...)
		if c.copied != nil {
			_, _ = c.copied.Write(chunk)
		}
		return size, nil
	}
	if !c.dropped {
		// A line that the limit would cut in two is begun again among the others.
		c.dropped = true
		whole := bytes.LastIndexByte(c.head, '\n') + 1
		c.line = append(c.line, c.head[whole:]...)
		c.head = c.head[:whole]
	}
	for len(chunk) > 0 {
		end := bytes.IndexByte(chunk, '\n')
		if end < 0 {
			c.line = lastOf(append(c.line, chunk...))
			break
		}
		c.keep(append(c.line, chunk[:end]...))
		c.line = c.line[:0]
		chunk = chunk[end+1:]
	}
	return size, nil
}

func (c *capture) keep(line []byte) {
	if !isMarked(line) {
		return
	}
	c.marked = append(append(c.marked, lastOf(line)...), '\n')
	if len(c.marked) > markedLimit {
		// The result comes last; what was marked long before it is more likely noise.
		half := c.marked[len(c.marked)-markedLimit/2:]
		c.marked = append([]byte{}, half[bytes.IndexByte(half, '\n')+1:]...)
	}
}

func isMarked(line []byte) bool {
	for _, mark := range marks {
		if bytes.Contains(line, mark) {
			return true
		}
	}
	// A result ends with the unit, or goes on with a tab; a promise seldom does.
	for rest := line; ; {
		at := bytes.Index(rest, unit)
		if at < 0 {
			return false
		}
		rest = bytes.TrimSuffix(rest[at+len(unit):], []byte("\r"))
		if len(rest) == 0 || rest[0] == '\t' {
			return true
		}
	}
}

func lastOf(line []byte) []byte {
	if len(line) > lineLimit {
		return append(line[:0], line[len(line)-lineLimit:]...)
	}
	return line
}

func (c *capture) String() string {
	c.keep(c.line)
	c.line = nil
	text := append(append([]byte{}, c.head...), c.marked...)
	return string(bytes.ToValidUTF8(text, []byte("\uFFFD")))
}
