package main

import (
	"encoding/binary"
	"encoding/json"
	"maps"
	"math"
	"os"
	"path/filepath"
	"strings"
)

// A probe keeps its tally in a file that is mapped into memory, so that it is valid however the process
// ends. Each process, and each copy of the probe in it, has a part of its own.
const (
	tallyMark    = "absgo 1\n"
	headerSize   = 64
	recordSize   = 144
	buildIDStart = 24
	buildIDEnd   = 40
	turnsStart   = 40
	lastedStart  = 48
)

// Tally is the sum of all parts.
type Tally struct {
	BuildID string                 `json:"build_id"`
	Methods map[string]MethodTally `json:"methods"`
	// Turns is how many the arm had, as every part says; where arms do not take turns, none.
	Turns int64 `json:"turns"`
	// lastedNS is the time from the end of the first of all arms' turns to that of the last one.
	lastedNS int64
	// proportional tells that delays are, to the control in their process.
	proportional bool
}

// MethodTally is what the probe of one method did.
type MethodTally struct {
	Calls      int64 `json:"calls"`
	SetupCalls int64 `json:"setup_calls"`
	// LoadingCalls are those of them that were made before any benchmark.
	LoadingCalls int64 `json:"loading_calls"`
	Batches      int64 `json:"batches"`
	InjectedNS   int64 `json:"injected_ns"`
	TimedNS      int64 `json:"timed_ns"`
	// ErrorNS is how wrong TimedNS may be because of what timing itself takes.
	ErrorNS int64 `json:"error_ns"`
	// WaitedNS is what TimedNS may lack: the time of calls during which others were entered.
	WaitedNS int64 `json:"waited_ns"`
	// ApartNS is the time between these calls; 0 where it is not known.
	ApartNS int64 `json:"apart_ns"`
	// CPUNS is the processor time that the process had while the timer ran, WallNS how long that was.
	CPUNS  int64 `json:"cpu_ns"`
	WallNS int64 `json:"wall_ns"`
	// LongestNS is what the longest took of the calls that are timed where they are counted; 0: none was.
	LongestNS int64 `json:"longest_ns,omitempty"`
	// RequestedNS is there only where a delay is in proportion to the control in its process.
	RequestedNS *int64 `json:"requested_ns,omitempty"`
}

// readTally returns the sum of the parts as JSON; nothing where there is none, or one that is no tally. Of methods
// that are counted those may be left out that were never entered: most of a large library.
func readTally(prefix string, enteredOnly bool) string {
	tally, found := sumOfParts(prefix, false)
	if !found {
		return ""
	}
	if enteredOnly {
		maps.DeleteFunc(tally.Methods, func(_ string, one MethodTally) bool { return one == MethodTally{} })
	}
	return tally.text()
}

func (tally *Tally) text() string {
	text, err := json.Marshal(tally)
	if err != nil {
		return ""
	}
	return string(text)
}

// sumOfParts tells whether there are any parts, and all of them are parts of one tally.
func sumOfParts(prefix string, proportional bool) (Tally, bool) {
	parts, _ := filepath.Glob(prefix + ".*")
	tally := Tally{Methods: map[string]MethodTally{}, proportional: proportional}
	for _, part := range parts {
		content, err := os.ReadFile(part)
		if err != nil || !tally.add(content) {
			return tally, false
		}
	}
	return tally, len(parts) > 0
}

func removeTally(prefix string) {
	parts, _ := filepath.Glob(prefix + ".*")
	for _, part := range parts {
		_ = os.Remove(part)
	}
}

// add adds a part and tells whether it was one, of the same build as those before it.
func (tally *Tally) add(part []byte) bool {
	if len(part) < headerSize || string(part[:len(tallyMark)]) != tallyMark {
		return false
	}
	number := func(at int) int64 { return int64(binary.LittleEndian.Uint64(part[at:])) }
	count, size := number(8), number(16)
	if count < 0 || size < 0 || int64(len(part)) < headerSize+count*recordSize+size {
		return false
	}
	build := string(part[buildIDStart:buildIDEnd])
	if tally.BuildID != "" && (tally.BuildID != build || tally.Turns != number(turnsStart)) {
		return false
	}
	tally.BuildID, tally.Turns = build, number(turnsStart)
	tally.lastedNS = max(tally.lastedNS, number(lastedStart))
	start := headerSize + int(count)*recordSize
	names := strings.Split(string(part[start:start+int(size)]), "\n")
	if int64(len(names)) != count+1 {
		return false
	}
	for index := 0; index < int(count); index++ {
		at := headerSize + index*recordSize
		left, batch, settled := number(at), number(at+8), number(at+16)
		requested := float64(number(at + 48))
		if batch > 0 {
			settled += batch - left
			requested += float64(batch-left) * math.Float64frombits(uint64(number(at+56)))
		}
		one := tally.Methods[names[index]]
		if batch == 0 {
			one.WaitedNS += number(at + 48)
		}
		if tally.proportional {
			whole := int64(requested)
			if one.RequestedNS != nil {
				whole += *one.RequestedNS
			}
			one.RequestedNS = &whole
		}
		one.Calls += settled
		one.Batches += number(at + 24)
		one.InjectedNS += number(at + 32)
		one.TimedNS += number(at + 40)
		one.ErrorNS += number(at + 64)
		one.SetupCalls += number(at + 72)
		one.LoadingCalls += number(at + 96)
		one.ApartNS += number(at + 104)
		one.CPUNS += number(at + 112)
		one.WallNS += number(at + 120)
		one.LongestNS = max(one.LongestNS, number(at+128))
		tally.Methods[names[index]] = one
	}
	return true
}
