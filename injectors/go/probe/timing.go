package absauditprobe

import (
	"math"
	"runtime"
	"sort"
	"sync"
	"sync/atomic"
)

// One call in `gap` is timed, so that timing takes a small share of the time only.
const (
	shortNs   = 200.0
	longNs    = 2000.0
	slotNs    = 50000.0 // the least that an interruption takes
	outlier   = 20
	shortGap  = 64
	middleGap = 8
	// Of a recursive method each call that may be an outermost one is looked at, which takes microseconds: so
	// many outermost ones are timed in a row, long and short ones alike, and then none for some time.
	burst = 64
	// The time that looking took, times this, passes until the next burst...
	restFactor = 2
	// ...or so many calls.
	longestRest = 1 << 15
	// Calls that are timed first, whatever they take, to learn how long one is.
	firstTimed = 32
	// After them, every so often a call is looked at instead: does it happen inside another one?
	lookGap = 8
	// Calls that are timed to learn what timing itself adds to one.
	learned = 1001
	rounds  = 51
	// While a call of a recursive method is timed one other call of it in so many asks.
	rare  = 1 << 12
	depth = 64
)

// watch is what mode time knows of a method.
type watch struct {
	lock    sync.Mutex
	site    *Site
	armed   int64 // what Left was set to
	random  uint64
	seen    int64
	meanNs  float64 // of the last few
	tookNs  float64
	covered float64 // calls that tookNs is the time of, with those inside them
	// What calls took during which others of the method were entered that are no part of them, and how many
	// calls those stand for: they may have waited for others' work or for their own, or be work at once.
	besideNs, beside float64
	before           int64   // calls before the one that is timed
	gap              float64 // calls that the timed one stands for

	// Of what lies between a timed call and the next one the same is known. It is read as the call is: what
	// reading adds here, it adds to both, so the sum of both tells it from what they take.
	apartNs, apartCovered, meanApartNs float64
	// The timed call that the next one is to come after: when it ended, what it stood for, and the calls
	// until another one is timed. 0: none.
	ended                   int64
	endedStood, endedWeight float64
	pause                   int64

	// What was known when this run of the benchmark began.
	settledThen                 int64
	tookNsThen, coveredThen     float64
	besideNsThen, besideThen    float64
	apartNsThen, apartStoodThen float64

	lookedNs int64 // of the timed call, what looking into it took

	burstSize  int     // outermost calls timed in this burst
	burstBegun int64   // when it was first looked for one
	burstNs    float64 // tookNs then

	timing    bool
	escorted  bool // the timed call was looked at, which leaves cold caches: it tells where the next one begins
	looked    bool
	spoilt    bool
	recursive bool
}

var (
	watches []watch
	// ownNs is how much longer than it is a call reads when it is timed, and ownErrorNs how wrong that may be: a
	// call whose neighbours could not be executed beside it anyway reads longer by the least, one that costs
	// the less since they are by the most. The same of what lies between calls: ownApartNs.
	ownNs, ownErrorNs, ownApartNs float64
)

func prepareWatches(number int) {
	watches = make([]watch, number+1)
	for index := range watches {
		watches[index].random = uint64(index)*2 + 0x9E3779B97F4A7C15
		watches[index].gap = 1
	}
	// The last one belongs to no method: it learns what timing itself adds to a call whose time is known; as rarely
	// as in earnest, since what is seldom executed takes longer.
	alone, aloneApart := learn(number, ^uint64(0))
	beside, besideApart := learn(number, 0)
	ownNs, ownErrorNs = (alone+beside)/2, math.Abs(beside-alone)/2
	ownApartNs = (aloneApart + besideApart) / 2
}

// learn returns how much longer than it is a call reads whose input is what of the call before it a mask leaves:
// all of it, then they can only follow each other; or nothing, then the processor works at several at once. It
// also returns what is read between two of them, where nothing is.
func learn(number int, mask uint64) (own, apart float64) {
	one := &watches[number]
	*one = watch{random: one.random, gap: 1, seen: firstTimed}
	site := Site{mode: timed, index: int32(number), Left: 2 * learned * rounds}
	known, x, sum := make([]float64, rounds), seed, uint64(0)
	for i := range known {
		begun := now()
		for j := 0; j < learned; j++ {
			x = known20ns(&site, x&mask|1)
			sum += x
		}
		known[i] = float64(now()-begun) / learned
	}
	site.Left, site.settled = 0, 0
	took, between := make([]float64, 0, learned), make([]float64, 0, learned)
	for len(took) < learned {
		seen, tookNs, covered, apartNs, apartCovered := one.seen, one.tookNs, one.covered, one.apartNs, one.apartCovered
		x = known20ns(&site, x&mask|1)
		sum += x
		if one.seen > seen {
			took = append(took, (one.tookNs-tookNs)/(one.covered-covered))
		} else if one.apartCovered > apartCovered {
			between = append(between, (one.apartNs-apartNs)/(one.apartCovered-apartCovered))
		}
	}
	keep(sum | 1)
	return middle(took) - middle(known), middle(between)
}

// middle returns the mean of the middle half: a clock that ticks every ten nanoseconds shows no other median.
func middle(values []float64) float64 {
	sort.Float64s(values)
	sum, quarter := 0.0, len(values)/4
	for _, value := range values[quarter : len(values)-quarter] {
		sum += value
	}
	return sum / float64(len(values)-2*quarter)
}

// known20ns takes 20 nanoseconds or so, and has to wait for the call before it.
//
//go:noinline
func known20ns(site *Site, x uint64) uint64 {
	if site.Left--; site.Left <= 0 {
		if begun := site.Due(); begun != 0 {
			defer site.Exit(begun)
		}
	}
	return turned(x, 12)
}

// begin decides about a call. While one is timed no other is: what it calls of its own method is inside it.
func (site *Site) begin() int64 {
	one := &watches[site.index]
	entered := int64(0)
	if one.ended != 0 {
		entered = now()
	}
	one.lock.Lock()
	defer one.lock.Unlock()
	one.site = site
	if site.Left > 0 {
		return 0 // another goroutine was here first
	}
	if entered != 0 && one.ended != 0 {
		return one.follow(entered)
	}
	if one.timing {
		one.arm(one.meanwhile())
		if one.spoilt || (one.seen >= firstTimed && site.settled-one.before < rare) {
			return 0
		}
		// Is it the timed call that calls its own method, or another goroutine? Later, once it is known that the
		// method does not call itself, thousands of calls say that the timed one was interrupted.
		begun := now()
		if nested() {
			if !one.recursive {
				one.recursive = true
				one.beginBurst()
			}
			one.lookedNs += now() - begun
		} else {
			one.spoilt = true
		}
		return 0
	}
	if one.recursive && one.burstSize == 0 {
		one.beginBurst()
	}
	settled := one.seen >= firstTimed && !one.recursive
	if !settled || (one.seen%lookGap == 0 && !one.looked) {
		if nested() {
			one.recurses()
			return 0
		}
		one.escorted = one.recursive
		if settled {
			// Looking takes long and leaves cold caches: it is another call that is timed.
			one.looked = true
			one.arm(one.next())
			return 0
		}
	}
	one.looked = false
	return one.time()
}

// time begins to time a call.
func (one *watch) time() int64 {
	one.timing, one.spoilt = true, false
	if one.seen < firstTimed {
		one.arm(1)
	} else {
		one.arm(one.meanwhile())
	}
	one.before = one.site.settled
	return now()
}

// follow notes that a call was entered after a timed one, and is no part of another one: it need not be looked at.
func (one *watch) follow(entered int64) int64 {
	apart := math.Max(0, float64(entered-one.ended)-ownApartNs)
	one.ended = 0
	if one.endedStood > 0 {
		if one.apartCovered > 0 {
			apart = math.Min(apart, math.Max(slotNs, outlier*one.meanApartNs))
		} else {
			one.meanApartNs = apart
		}
		one.meanApartNs += (apart - one.meanApartNs) / 16
		one.apartNs += apart * one.endedWeight
		one.apartCovered += one.endedStood
	}
	if one.pause > 1 {
		one.arm(one.pause)
		return 0
	}
	return one.time()
}

// meanwhile returns the calls until Due is asked again while one is timed. None asking would be cheaper, but
// a goroutine that lost its processor may write back a Left that it has read before, and what was not called
// then counts: so it is as small as between timed calls. Looks into a recursion take too long for that.
func (one *watch) meanwhile() int64 {
	if one.recursive {
		return rare
	}
	return shortGap
}

// recurses makes every call looked at, so that the next outermost one is not missed. What was timed until
// now may have been inside another call.
func (one *watch) recurses() {
	if !one.recursive {
		one.recursive = true
		one.tookNs, one.covered = 0, 0
		one.besideNs, one.beside = 0, 0
		one.beginBurst()
	}
	one.arm(1)
}

// arm sets the calls until Due is asked again, and counts those since it was set before. Several goroutines
// may have left behind any number up to the largest one that was ever set.
func (one *watch) arm(left int64) {
	one.count()
	one.armed = left
	one.site.Left = left
}

// count counts the calls since it was last done.
func (one *watch) count() {
	if made := one.armed - one.site.Left; made > 0 {
		one.site.settled += made
	}
	one.armed = one.site.Left
}

// Exit ends a timed call, however it is left.
func (site *Site) Exit(begun int64) {
	ended := now()
	if site.mode == count {
		site.clock(begun, ended)
		return
	}
	one := &watches[site.index]
	one.lock.Lock()
	defer one.lock.Unlock()
	took := math.Max(0, float64(ended-begun-one.lookedNs)-ownNs)
	escorted := one.escorted
	one.timing, one.escorted, one.lookedNs = false, false, 0
	one.endedWeight, one.endedStood = 0, 0
	if escorted {
		one.pause = 1
	} else {
		one.took(took)
	}
	if one.spoilt {
		one.arm(one.pause)
		return
	}
	flush()
	one.arm(1)
	one.ended = now()
}

// clock notes in mode count what a call took; one of set-up, where less than 0 tells its begin.
func (site *Site) clock(begun, ended int64) {
	took := ended + begun
	if begun > 0 {
		took = ended - begun
		atomic.AddInt64(&site.timedNs, took)
	}
	for {
		longest := atomic.LoadInt64(&site.longestNs)
		if took <= longest || atomic.CompareAndSwapInt64(&site.longestNs, longest, took) {
			return
		}
	}
}

// took notes what a timed call took.
func (one *watch) took(took float64) {
	if one.seen > firstTimed {
		// What takes so much longer than others was interrupted, and would stand for many calls.
		took = math.Min(took, math.Max(slotNs, outlier*one.meanNs))
	}
	one.seen++
	if one.seen == 1 {
		one.meanNs = took
	}
	one.meanNs += (took - one.meanNs) / 16
	weight := one.gap
	if one.recursive {
		weight = 1
	}
	one.count()
	one.pause = one.next()
	if one.spoilt {
		one.besideNs += took * weight
		one.beside += weight
		one.tell()
		return
	}
	stood := weight
	if one.recursive {
		stood += float64(one.site.settled - one.before)
	}
	// Slow times are timed more often than fast ones: they must not count for more than they were.
	one.tookNs += took * weight
	one.covered += stood
	one.endedWeight, one.endedStood = weight, stood
	one.tell()
}

// reset begins a run of the benchmark, or forgets what was known of it.
func (site *Site) reset(forget bool) {
	one := &watches[site.index]
	one.lock.Lock()
	defer one.lock.Unlock()
	if one.site = site; one.timing {
		return // from inside of a call
	}
	one.ended = 0
	one.arm(site.Left)
	if forget {
		site.settled, one.tookNs, one.covered = one.settledThen, one.tookNsThen, one.coveredThen
		one.besideNs, one.beside = one.besideNsThen, one.besideThen
		one.apartNs, one.apartCovered = one.apartNsThen, one.apartStoodThen
		one.tell()
	}
	one.settledThen, one.tookNsThen, one.coveredThen = site.settled, one.tookNs, one.covered
	one.besideNsThen, one.besideThen = one.besideNs, one.beside
	one.apartNsThen, one.apartStoodThen = one.apartNs, one.apartCovered
}

// part notes that the timer starts or stops: what passes until the next call is no part of the benchmark.
func (one *arm) part(running bool) {
	if one.mode != timed {
		return
	}
	wall, cpu := now(), processorNs()
	for index := range one.sites {
		site := &one.sites[index]
		watches[site.index].ended = 0
		if one.since != 0 {
			site.wallNs += wall - one.since
			site.cpuNs += cpu - one.cpuSince
		}
	}
	if one.since = 0; running {
		one.since, one.cpuSince = wall, cpu
	}
}

// tell writes what is known into the tally: the timed calls stand for all, their mean times how many there were.
func (one *watch) tell() {
	one.site.timedNs, one.site.apartNs, one.site.errorNs = 0, 0, int64(ownErrorNs*float64(one.site.settled))
	if one.covered > 0 {
		one.site.timedNs = int64(one.tookNs / one.covered * float64(one.site.settled))
	}
	one.site.requestedNs = 0
	if one.beside > 0 {
		one.site.requestedNs = int64(one.besideNs / (one.covered + one.beside) * float64(one.site.settled))
	}
	if one.apartCovered > 0 {
		one.site.apartNs = int64(math.Max(1, one.apartNs/one.apartCovered*float64(one.site.settled)))
	}
}

// next draws the calls until the next timed one: 1 while nothing is known, in a burst, and where a call is
// long against the clock.
func (one *watch) next() int64 {
	middle := uint64(shortGap)
	switch {
	case one.recursive:
		middle = one.rest()
	case one.seen < firstTimed || one.meanNs > longNs:
		middle = 1
	case one.meanNs > shortNs:
		middle = middleGap
	}
	one.gap = float64(middle)
	if middle > 1 {
		one.gap++ // with the call that comes after a timed one
	}
	return one.drawn(middle)
}

func (one *watch) beginBurst() {
	one.burstSize, one.burstBegun, one.burstNs = 1, now(), one.tookNs
}

// rest returns the mean number of calls until the next timed one of a recursive method.
func (one *watch) rest() uint64 {
	if one.burstSize++; one.burstSize <= burst || one.covered == 0 {
		return 1
	}
	one.burstSize = 0
	lookingNs := float64(now()-one.burstBegun) - (one.tookNs - one.burstNs)
	callNs := math.Max(1, one.tookNs/one.covered)
	return uint64(math.Min(longestRest, math.Max(1, restFactor*lookingNs/callNs)))
}

// drawn returns 1 to 2*middle-1, each as often, so that no rhythm of the subject can hide.
func (one *watch) drawn(middle uint64) int64 {
	one.random ^= one.random << 13
	one.random ^= one.random >> 7
	one.random ^= one.random << 17
	return 1 + int64(one.random%(2*middle-1))
}

// nested tells whether the probed function that asks is on the stack twice.
func nested() bool {
	var stack [depth]uintptr
	// Callers, nested, begin and Due (or DueOutside) lie above the probed function.
	frames := runtime.CallersFrames(stack[:runtime.Callers(4, stack[:])])
	own, more := frames.Next()
	for more {
		var frame runtime.Frame
		frame, more = frames.Next()
		if frame.Function == own.Function && frame.Function != "" {
			return true
		}
	}
	return false
}
