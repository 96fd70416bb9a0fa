// Package absauditprobe is the runtime of the probes that abs-audit puts into a copy of the sources.
//
// What the probes of a process do is said by environment variables that are read once:
//
//	ABS_PROBE_MODE      off (or absent), count, time, control, delay
//	ABS_PROBE_METHODS   ids of the active methods, one a line
//	ABS_PROBE_SLOWED    mode delay: the one method that pays
//	ABS_PROBE_DELAY_NS  what a call of it owes
//	ABS_PROBE_BATCH     calls after which what is owed is paid at once
//	ABS_PROBE_TALLY     file to keep the tally in
//
// The tally is a memory-mapped file, so that it outlives panics and os.Exit. All numbers are 64 bits,
// little endian: the text "ABSTALY1", how many methods there are, the build id (64 bytes, padded with
// zeros), and for each line of ABS_PROBE_METHODS in its order six numbers: 1 where a probe of the method
// is linked into the process, calls, payments, nanoseconds paid, nanoseconds of calls (mode time), and 0.
package absauditprobe

import (
	"math"
	"os"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"
	"unsafe"
)

const (
	buildID    = "@BUILD_ID@"
	headBytes  = 80
	entryWords = 6
)

const (
	linked = iota
	calls
	payments
	paidNs
	timedNs
)

const (
	off = iota
	count
	timed
	pay
)

// In mode time a call is timed once in `gap` calls, so that timing takes about this share of the time.
const (
	shortNs   = 2000.0
	longNs    = 20000.0
	shortGap  = 64
	middleGap = 8
	// Calls that are timed first, whatever they take, to learn how long one is.
	firstTimed = 32
)

// Site is the switch of one probed method. The probed method reads On and counts Left down itself.
type Site struct {
	On   bool
	Left int64

	state *state
	_     [40]byte // a cache line of its own: neighbours are counted down by other goroutines
}

// state is what a site needs besides its switch, away from the hot path.
type state struct {
	lock   sync.Mutex
	tally  *[entryWords]int64
	batch  int64
	owedNs float64 // for a whole batch
	debtNs float64
	armed  int64 // what Left was set to

	// Mode time.
	random    uint64
	seen      int64
	meanNs    float64
	tookNs    float64
	covered   float64 // calls that tookNs is the time of, nested ones included
	before    int64   // calls before the one that is timed
	timing    bool
	spoilt    bool
	recursive bool
}

var settings = read()

type environment struct {
	mode    int
	methods []string
	slowed  string
	delayNs float64
	batch   int64
	memory  []byte
}

func read() environment {
	found := environment{batch: 1}
	switch mode := os.Getenv("ABS_PROBE_MODE"); mode {
	case "", "off":
		return found
	case "count":
		found.mode = count
	case "time":
		found.mode = timed
	case "control", "delay":
		found.mode = pay
		found.batch = int64(number("ABS_PROBE_BATCH"))
		if mode == "delay" {
			found.slowed = os.Getenv("ABS_PROBE_SLOWED")
			found.delayNs = number("ABS_PROBE_DELAY_NS")
		}
	default:
		panic("abs-audit: unknown ABS_PROBE_MODE " + strconv.Quote(mode))
	}
	if text := os.Getenv("ABS_PROBE_METHODS"); text != "" {
		found.methods = strings.Split(text, "\n")
	}
	found.memory = memory(headBytes + 8*entryWords*len(found.methods))
	copy(found.memory, "ABSTALY1")
	*(*int64)(unsafe.Pointer(&found.memory[8])) = int64(len(found.methods))
	copy(found.memory[16:headBytes], buildID)
	return found
}

func number(name string) float64 {
	value, err := strconv.ParseFloat(os.Getenv(name), 64)
	if err != nil {
		panic("abs-audit: " + name + ": " + err.Error())
	}
	return value
}

// Register switches a site on if its method is active. Sites of one method share its entry in the tally.
func (site *Site) Register(method string) {
	for index, one := range settings.methods {
		if one != method {
			continue
		}
		entry := (*[entryWords]int64)(unsafe.Pointer(&settings.memory[headBytes+8*entryWords*index]))
		entry[linked] = 1
		site.state = &state{tally: entry, batch: settings.batch, random: uint64(index)*2 + 1}
		if method == settings.slowed {
			site.state.owedNs = settings.delayNs * float64(settings.batch)
		}
		switch settings.mode {
		case pay:
			site.arm(settings.batch)
		case timed:
			site.arm(1)
		}
		site.On = true
	}
}

var origin = time.Now()

func now() int64 { return int64(time.Since(origin)) }

// Due does what is due after Left calls. It returns the time at which a call that is to be timed began,
// never 0, or 0.
//
//go:noinline
func (site *Site) Due() int64 {
	switch settings.mode {
	case count:
		// Left is never set again, so that each call comes here and none is lost between goroutines.
		atomic.AddInt64(&site.state.tally[calls], 1)
	case pay:
		site.pay()
	case timed:
		return site.begin()
	}
	return 0
}

// pay spins for what a batch of calls owes. A clock is read, but once a batch.
func (site *Site) pay() {
	one := site.state
	one.lock.Lock()
	if site.Left > 0 {
		// Another goroutine was here first.
		one.lock.Unlock()
		return
	}
	made := one.batch - site.Left
	site.arm(one.batch)
	one.debtNs += one.owedNs * float64(made) / float64(one.batch)
	begun := now()
	until := begun + int64(one.debtNs)
	end := now()
	for end < until {
		end = now()
	}
	spent := end - begun
	if one.owedNs > 0 {
		one.debtNs -= float64(spent)
		if one.debtNs < -one.owedNs {
			// Taken off the processor while paying: the next batch is still paid.
			one.debtNs = -one.owedNs
		}
		one.tally[paidNs] += spent
	}
	one.tally[payments]++
	one.lock.Unlock()
}

// arm sets the calls until Due is asked again, and counts those since it was armed before.
func (site *Site) arm(left int64) {
	one := site.state
	one.tally[calls] += one.armed - site.Left
	one.armed = left
	site.Left = left
}

// begin decides about a call in mode time. While one is timed no other is: what it calls of its own
// method is inside it, and costs nothing but the counting.
func (site *Site) begin() int64 {
	one := site.state
	one.lock.Lock()
	defer one.lock.Unlock()
	if site.Left > 0 {
		return 0 // another goroutine was here first
	}
	if one.timing {
		// Only the first timed calls are watched like this: is it their own method that they call?
		one.recursive = one.recursive || nested()
		one.spoilt = true
		site.arm(math.MaxInt64)
		return 0
	}
	if nested() {
		// From here on every call is looked at, so that the next outermost one is not missed.
		one.recursive = true
		site.arm(1)
		return 0
	}
	one.timing, one.spoilt = true, false
	if one.seen < firstTimed {
		site.arm(1)
	} else {
		site.arm(math.MaxInt64)
	}
	one.before = one.tally[calls]
	return now()
}

// Exit ends a timed call.
func (site *Site) Exit(begun int64) {
	took := math.Max(0, float64(now()-begun)-clockNs)
	one := site.state
	one.lock.Lock()
	one.seen++
	if one.seen == 1 {
		one.meanNs = took
	}
	one.meanNs += (took - one.meanNs) / 16
	one.timing = false
	site.arm(one.next())
	if !one.spoilt {
		one.tookNs += took
		one.covered++
		if one.recursive {
			one.covered += float64(one.tally[calls] - one.before)
		}
		// The timed calls stand for all: their mean times how many there were.
		one.tally[timedNs] = int64(one.tookNs / one.covered * float64(one.tally[calls]))
	}
	one.lock.Unlock()
}

// next draws the calls until the next timed one: 1 while nothing is known, for recursive methods, and where
// a call is long against the clock; else around a fixed gap.
func (one *state) next() int64 {
	switch {
	case one.seen < firstTimed || one.recursive || one.meanNs > longNs:
		return 1
	case one.meanNs > shortNs:
		return one.drawn(middleGap)
	default:
		return one.drawn(shortGap)
	}
}

// drawn returns 1 … 2·middle−1 with equal probability, so that no rhythm of the subject can hide.
func (one *state) drawn(middle int64) int64 {
	one.random ^= one.random << 13
	one.random ^= one.random >> 7
	one.random ^= one.random << 17
	return 1 + int64(one.random%uint64(2*middle-1))
}

// nested tells whether the probed function that asks is on the stack twice.
func nested() bool {
	var stack [64]uintptr
	// Callers, nested, begin and Due lie above the probed function.
	depth := runtime.Callers(4, stack[:])
	if depth == 0 {
		return false
	}
	own := runtime.FuncForPC(stack[0] - 1)
	for _, counter := range stack[1:depth] {
		if runtime.FuncForPC(counter-1) == own {
			return true
		}
	}
	return false
}

// clockNs is what a timed call of an empty function reads as.
var clockNs float64

func init() {
	if settings.mode != timed {
		return
	}
	var tally [entryWords]int64
	site := Site{state: &state{tally: &tally, seen: firstTimed}}
	least, known := math.Inf(1), 0.0
	for i := 0; i < 2000; i++ {
		site.Left = 0
		empty(&site)
		least = math.Min(least, site.state.tookNs-known)
		known = site.state.tookNs
	}
	clockNs = least
}

//go:noinline
func empty(site *Site) {
	if begun := site.Due(); begun != 0 {
		defer site.Exit(begun)
	}
}
