package absauditprobe

import (
	"math"
	"sync/atomic"
)

const (
	calibrations = 40
	// Turns of one calibration: about 15 microseconds.
	calibrationTurns = 8192
	// What takes the processor for longer may have let another goroutine do its work meanwhile. Less than a
	// scheduler takes it for must not: delays are in proportion to a control that was interrupted, too, so
	// where interruptions come on top of them they are longer than asked for by that proportion once more.
	interruptionNs = 2e7
	// After so much of a delay the clock is asked whether it is over.
	pieceNs = 20000.0
)

var (
	turnNs = 1.0
	// clockNs is what nothing at all takes between two readings of the clock.
	clockNs = 1e9
	zero    uint64
)

// delay injects the delay of a batch of calls by turning on the spot. The clock is read around it, to tell what was
// injected: what is too much or too little, because the processor is not as fast as it was, is carried over.
func (site *Site) delay() {
	left := atomic.LoadInt64(&site.Left)
	if left > 0 || !atomic.CompareAndSwapInt64(&site.Left, left, site.batch) {
		return // another goroutine delays this batch
	}
	made := site.batch - left
	atomic.AddInt64(&site.settled, made)
	atomic.AddInt64(&site.batches, 1)
	requested := site.callNs * float64(made)
	atomic.AddInt64(&site.requestedNs, int64(requested))
	length := requested + float64(atomic.SwapInt64(&site.carriedPs, 0))/1000
	begun := now()
	turn(int64(math.Min(length, pieceNs) / turnNs))
	took := float64(now()-begun) - clockNs
	for took+clockNs < length {
		turn(int64(math.Min(length-took, pieceNs) / turnNs))
		took = float64(now()-begun) - clockNs
	}
	if requested > 0 {
		// Interruptions are a part of the delay: as large a part of the control's time, which delays are sized
		// by, was taken by them.
		carried := limited(length-took, math.Max(requested, interruptionNs))
		atomic.AddInt64(&site.carriedPs, int64(1000*carried))
		atomic.AddInt64(&site.injectedNs, int64(length-carried))
	}
}

// limited returns a value between -limit and limit.
func limited(value, limit float64) float64 {
	if value > limit {
		return limit
	}
	if value < -limit {
		return -limit
	}
	return value
}

// turn keeps the processor busy.
//
//go:noinline
func turn(turns int64) { keep(turned(seed, turns)) }

const seed = uint64(88172645463325252)

// turned does what must be done one after the other, with nothing that could be done at the same time.
func turned(x uint64, turns int64) uint64 {
	for ; turns > 0; turns-- {
		x ^= x << 13
		x ^= x >> 7
		x ^= x << 17
	}
	return x
}

// keep uses a value, so that the compiler cannot do without it.
func keep(x uint64) {
	if x == 0 {
		zero++ // never; but only we know
	}
}

// calibrate finds what a turn takes. The least of many is what the processor can do when left alone.
func calibrate() {
	least := 1e18
	for i := 0; i < calibrations; i++ {
		begun := now()
		turn(0)
		middle := now()
		turn(calibrationTurns)
		took := now() - middle
		if nothing := float64(middle - begun); nothing < clockNs {
			clockNs = nothing
		}
		if float64(took) < least {
			least = float64(took)
		}
	}
	turnNs = (least - clockNs) / calibrationTurns
}
