// Package absauditprobe is the runtime of the probes that abs-audit puts into a copy of the sources.
//
// There is one copy of it in each module that holds probed functions, and each probed file imports it:
// so Go initialises it before anything that is probed. A probed body begins with
//
//	if _abs.On3 { if _abs.S3.Left--; _abs.S3.Left <= 0 { if _absT := _abs.S3.Due(); _absT != 0 { defer _abs.S3.Exit(_absT) } } };
//
// Inactive, that is a load and a branch. Where another defer would make Go defer the slow way, a body is
// timed from outside: `return _abs3(_absT, x)` calls a function that defers Exit and calls the body again.
// What the probes of a process do is said by environment variables
// that are read once, and is called an arm:
//
//	ABS_PROBE_MODE          off (or absent), count, time, sample, control, delay
//	ABS_PROBE_METHODS       ids of the active methods, one a line, or @ and a file of them
//	ABS_PROBE_SLOWED        mode delay: the one method that is slowed
//	ABS_PROBE_DELAY_NS      mode delay: the delay of a call of it
//	ABS_PROBE_BATCH         modes control and delay: calls that are delayed at once
//	ABS_PROBE_CONTROL_NS    mode delay, arms that take turns: what the control took when the delay was computed
//	ABS_PROBE_TALLY         begin of the names of the files to keep the tally in
//	ABS_PROBE_TURNS         arms that take turns, see below; absent: there is one
//
// In mode sample no probe is active; while the benchmark's timer runs its goroutines carry a label, by which a
// profile of the processor tells them from set-up.
//
// Modes control and delay execute the same code; only the delay of a batch differs. What a process cannot
// understand ends it before main, with a message and exit code 2.
//
// # Turns
//
// Arms that take turns in one process are compared without what differs from process to process, and within
// milliseconds. ABS_PROBE_TURNS says which arm each run of a benchmark (of -test.count) belongs to, in their
// order: "- 0 1 1 0" is a run without active probes, and two runs of each of two arms. All other variables then
// end in "_" and the number of the arm that they are about. The end of a run is told by the testing package: in
// a test binary that was built with our copy of it, it sets all flags whose names begin with "abs-audit.turn.".
//
// A delay is as much longer or shorter than ABS_PROBE_DELAY_NS as the control, by its last two turns, is than
// ABS_PROBE_CONTROL_NS: so it stays in proportion, however fast process and processor are.
//
// # The tally
//
// For each arm a process, and each copy of this package in it, creates one file
//
//	<ABS_PROBE_TALLY>.<number of the copy>.<process id>.<nanoseconds>
//
// and maps it into memory, so that it is valid at any moment, whatever ends the process. A method that is
// probed by another copy has a record of zeros: the tally is the sum of all parts, whose build ids must be
// equal. Integers have 64 bits, little endian (on other machines, too):
//
//	 0   8 bytes   "absgo 1\n", written last: anything else is no tally
//	 8   int64     n, the number of records; 0 in the modes off and sample
//	16   int64     size of the names in bytes
//	24   16 bytes  build id
//	40   int64     turns that the arm had, where arms take turns; else 0
//	48   int64     nanoseconds from the end of the first of all turns to that of the last one
//	56   8 bytes   zero
//	64   n records of 144 bytes, one for each line of ABS_PROBE_METHODS, in its order
//	        0  int64  left       calls until the next delay
//	        8  int64  batch      calls that are delayed at once; 0 in the modes count and time
//	       16  int64  settled    calls before the last delay; in the modes count and time, all calls
//	       24  int64  batches    delays, of nothing in a control
//	       32  int64  injected   nanoseconds that the delays took
//	       40  int64  timed_ns   mode time: the time of all these calls, outermost ones only; mode count: that of
//	                             the first few, which shows whether a single one does the work of all invocations
//	       48  int64  requested  nanoseconds that they were to take; mode time: what of the time of all calls may be
//	                             missing in timed_ns, since others were entered meanwhile that are no part of them
//	       56  float  call_ns    the delay of a call now
//	       64  int64  error_ns   mode time: how wrong timed_ns may be because of what timing itself takes
//	       72  int64  setup      mode count: further calls while the benchmark's timer stood still, or before it
//	                             was reset
//	       80  16 bytes          the probe's own
//	       96  int64  loading    mode count: how many of setup were made before the first benchmark, as by the
//	                             variables of packages
//	      104  int64  apart_ns   mode time: what passed between these calls, from the end of each outermost one to
//	                             the next, where the timer ran all the while; 0: not known
//	      112  int64  cpu_ns     mode time: processor time of the process while the timer ran; 0: not known
//	      120  int64  wall_ns    mode time: how long that was
//	      128  int64  longest_ns mode count: the longest of the first few calls of each run of the benchmark and of
//	                             its set-up
//	      136  8 bytes           the probe's own
//	64+144n  the names: method ids in the order of the records, each followed by "\n"
//
// calls = settled + (batch - left, if batch > 0). In mode time the calls since the last timed one, fewer
// than 128 or, of a recursive method, 65536, are missing in both settled and timed_ns.
//
// Calls are exact in mode count, and in the other modes as long as one processor is used (GOMAXPROCS=1):
// counting down is not atomic, as that would cost more than many a function does.
package absauditprobe

import (
	"os"
	"strconv"
	"strings"
	"sync/atomic"
	"time"
)

const (
	off = iota
	count
	timed
	delaying
	sampled
)

// clocked is how many calls mode count times, and how many of set-up.
const clocked = 32

// Site is the record of one active method. Probed bodies read On, and count Left down themselves.
type Site struct {
	Left int64

	batch      int64
	settled    int64
	batches    int64
	injectedNs int64
	timedNs    int64

	requestedNs int64
	callNs      float64

	errorNs int64
	setUp   int64

	mode, index int32
	carriedPs   int64

	loading int64
	apartNs int64
	cpuNs   int64
	wallNs  int64

	longestNs int64
	setUpThen int64
}

// switches are the places in the generated file that belong to one method.
type switches struct {
	method string
	on     *bool
	site   **Site
}

// arm is what the probes do: in the whole process, or in the turns that are its own.
type arm struct {
	mode    int32
	methods []string
	sites   []Site
	// slowed is the site with a delay, nil in a control; delayNs that of a call if an invocation of the control
	// takes controlNs, which is 0 where that is not known.
	slowed    *Site
	delayNs   float64
	controlNs float64
	// counted is, in mode count, what was known of each site when this run of the benchmark began.
	counted []countedThen
	// since is when the timer began to run, cpuSince the processor time then; 0: it does not run.
	since, cpuSince int64
	// turns is where the tally speaks of its turns.
	turns *turnsHad
}

func init() {
	programme, number := turnsAsked()
	arms := make([]arm, number)
	sites, timing, delays, sampling := 0, false, false, false
	for place := range arms {
		suffix := ""
		if len(programme) > 0 {
			suffix = "_" + strconv.Itoa(place)
		}
		arms[place] = newArm(suffix, sites)
		sites += len(arms[place].sites)
		timing = timing || arms[place].mode == timed
		delays = delays || arms[place].mode == delaying
		sampling = sampling || arms[place].mode == sampled
	}
	if timing {
		prepareWatches(sites)
	}
	if delays {
		calibrate()
	}
	if sampling {
		lookOftener()
	}
	takeTurns(programme, arms)
}

// newArm reads the variables of an arm; of the arms before it there are so many sites.
func newArm(suffix string, before int) arm {
	var one arm
	slowed, batch := "", int64(0)
	name := "ABS_PROBE_MODE" + suffix
	switch word := os.Getenv(name); word {
	case "", "off":
		one.mode = off
	case "count":
		one.mode = count
	case "time":
		one.mode = timed
	case "sample":
		one.mode = sampled
	case "control", "delay":
		one.mode = delaying
		batch = calls("ABS_PROBE_BATCH" + suffix)
		if word == "delay" {
			slowed, one.delayNs = os.Getenv("ABS_PROBE_SLOWED"+suffix), nanoseconds("ABS_PROBE_DELAY_NS"+suffix)
			if control := "ABS_PROBE_CONTROL_NS" + suffix; os.Getenv(control) != "" {
				one.controlNs = nanoseconds(control)
			}
		}
	default:
		fail(name + ": expected off, count, time, sample, control or delay, found " + strconv.Quote(word))
	}
	if one.mode != off && one.mode != sampled {
		one.methods = listed("ABS_PROBE_METHODS" + suffix)
	}
	one.sites, one.turns = newTally("ABS_PROBE_TALLY"+suffix, one.methods)
	one.counted = make([]countedThen, len(one.sites))
	for index, method := range one.methods {
		site := &one.sites[index]
		site.mode, site.index, site.batch, site.Left = one.mode, int32(before+index), batch, batch
		if method == slowed {
			site.callNs, one.slowed = one.delayNs, site
		}
	}
	return one
}

// fit keeps the delay in proportion to what an invocation of the control takes now, if that is known.
func (one *arm) fit(controlNs float64) {
	if one.slowed != nil && one.controlNs > 0 && controlNs > 0 {
		one.slowed.callNs = one.delayNs * controlNs / one.controlNs
	}
}

// begin lets the probes work for this arm.
func (one *arm) begin() {
	for _, place := range all {
		*place.on = false
	}
	switched = switched[:0]
	for index, method := range one.methods {
		for _, place := range all {
			if place.method == method {
				*place.site = &one.sites[index]
				switched = append(switched, place.on)
			}
		}
	}
	one.show()
}

// show lets probes see calls: all of them where they are only counted, else those of timed regions.
func (one *arm) show() {
	for _, on := range switched {
		*on = one.mode == count || !stopped
	}
}

var (
	// stopped tells that the timer of the benchmark stands still; never where the testing package does not say.
	stopped bool
	// switched are the switches of the arm whose turn it is.
	switched []*bool
)

// listed returns the lines of a variable, or of the file that it names.
func listed(name string) []string {
	text := os.Getenv(name)
	if strings.HasPrefix(text, "@") {
		content, err := os.ReadFile(text[1:])
		if err != nil {
			fail(name + ": cannot read its file: " + err.Error())
		}
		text = string(content)
	}
	var found []string
	for _, line := range strings.Split(text, "\n") {
		if line != "" {
			found = append(found, line)
		}
	}
	return found
}

func calls(name string) int64 {
	value, err := strconv.ParseInt(os.Getenv(name), 10, 64)
	if err != nil || value < 1 {
		fail(name + ": expected a number of calls, found " + strconv.Quote(os.Getenv(name)))
	}
	return value
}

func nanoseconds(name string) float64 {
	value, err := strconv.ParseFloat(os.Getenv(name), 64)
	if err != nil || !(value >= 0 && value < 1e18) {
		fail(name + ": expected nanoseconds, found " + strconv.Quote(os.Getenv(name)))
	}
	return value
}

func fail(message string) {
	os.Stderr.WriteString("abs-audit probe: " + message + "\n")
	os.Exit(2)
}

var origin = time.Now()

// now returns nanoseconds of a clock that nobody sets.
func now() int64 { return int64(time.Since(origin)) }

// Due does what is due once Left calls were made. It returns when a call that is to be timed began, never
// 0, and of set-up less than that; else 0.
//
//go:noinline
func (site *Site) Due() int64 {
	defer flush()
	switch site.mode {
	case count:
		// Left stays where it is, so that every call comes here and none is lost between goroutines.
		if stopped {
			if atomic.AddInt64(&site.setUp, 1)-atomic.LoadInt64(&site.setUpThen) <= clocked {
				return -now()
			}
		} else if atomic.AddInt64(&site.settled, 1) <= clocked {
			return now()
		}
	case delaying:
		site.delay()
	case timed:
		return site.begin()
	}
	return 0
}

// countedThen is what mode count knows of a site at some moment.
type countedThen struct{ calls, ns int64 }

// recount begins a run of the benchmark; calls that it has made already become set-up if they are forgotten.
func (site *Site) recount(forget bool, then *countedThen) {
	if forget {
		made := atomic.LoadInt64(&site.settled) - then.calls
		atomic.AddInt64(&site.settled, -made)
		atomic.AddInt64(&site.setUp, made)
		atomic.StoreInt64(&site.timedNs, then.ns)
	}
	atomic.StoreInt64(&site.setUpThen, atomic.LoadInt64(&site.setUp))
	*then = countedThen{atomic.LoadInt64(&site.settled), atomic.LoadInt64(&site.timedNs)}
}

// DueOutside is Due for a body that is executed again by the function that defers Exit.
//
//go:noinline
func (site *Site) DueOutside() int64 {
	if site.mode != timed {
		site.Due() // of what is counted, entering the body again would count
		return 0
	}
	begun := site.begin()
	if begun != 0 {
		site.Left++ // entering the body again is no call
	}
	return begun
}
