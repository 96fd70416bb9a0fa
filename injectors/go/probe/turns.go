package absauditprobe

import (
	"context"
	"flag"
	"os"
	"runtime"
	"runtime/pprof"
	"strconv"
	"strings"
)

const (
	// baseline is a run of the benchmark without active probes.
	baseline = -1
	mostArms = 1 << 10
	// What takes so many times as long as the same beside it was interrupted.
	interrupted = 4
	// The labels of goroutines while the timer runs, and of how often it was reset by then.
	labelName, labelValue, labelResets = "abs-audit", "timed", "abs-audit-resets"
	// As many as most kernels' clocks tick; a profile has a hundred unless it is told beforehand.
	looksPerSecond = 250
)

// turns lets arms take turns. It is a flag, since a flag is what this package and the testing package, which
// know nothing of each other, both can name.
type turns struct {
	programme []int
	arms      []arm
	place     int
	// controlNs is what an invocation took in the last two turns of a control: there and back, each of its turns
	// counts in as many turns of the others. 0 until one has ended.
	controlNs, lastControlNs float64
	// only tells that no turns were asked for: one arm has the whole process.
	only bool
	// begun tells that a benchmark has: what is called before is called by none.
	begun bool
	// resets is how often the timer was reset: what a benchmark did before the last time was set-up.
	resets int
	// firstEnd is when the first turn ended.
	firstEnd int64
}

// turnsAsked returns the arm of each turn, none where arms do not take turns, and the number of arms.
func turnsAsked() ([]int, int) {
	var programme []int
	number := 1
	for _, word := range strings.Fields(os.Getenv("ABS_PROBE_TURNS")) {
		one := baseline
		if word != "-" {
			value, err := strconv.Atoi(word)
			if err != nil || value < 0 || value >= mostArms {
				fail("ABS_PROBE_TURNS: expected numbers of arms, found " + strconv.Quote(word))
			}
			one = value
		}
		if one >= number {
			number = one + 1
		}
		programme = append(programme, one)
	}
	return programme, number
}

func takeTurns(programme []int, arms []arm) {
	own := &turns{programme: programme, arms: arms}
	if len(programme) == 0 {
		own.programme, own.only = []int{0}, true
	}
	flag.Var(own, "abs-audit.turn."+copyNumber, "ends a turn of the probes")
	own.begin()
}

// Timer is told by the testing package when the timer of the benchmark starts and stops: what a benchmark does
// meanwhile is no part of what it measures.
func (own *turns) Timer(running bool) {
	stopped = !running
	if one := own.current(); one != nil {
		one.part(running)
		one.show()
		if one.mode == sampled {
			own.label(running)
		}
	}
}

// lookOftener sets how often the profile that the testing package begins later looks at the stack: it asks for
// its own rate, which the runtime refuses once there is one.
func lookOftener() { runtime.SetCPUProfileRate(looksPerSecond) }

// label marks this goroutine, and those that it starts from now on, as a part of what is measured.
func (own *turns) label(running bool) {
	labelled := context.Background()
	if running {
		both := pprof.Labels(labelName, labelValue, labelResets, strconv.Itoa(own.resets))
		labelled = pprof.WithLabels(labelled, both)
	}
	pprof.SetGoroutineLabels(labelled)
}

// Begin is told when a run of the benchmark begins. A timer that runs then is that of the benchmark which this one
// is a part of, whose set-up ends here.
func (own *turns) Begin() { own.restart(!stopped) }

// Reset is told when the timer forgets what it has measured of this run, whether it runs or stands still.
func (own *turns) Reset() {
	own.restart(true)
	own.resets++
	if one := own.current(); one != nil && one.mode == sampled {
		own.label(!stopped)
	}
}

// restart begins to measure anew: those who time forget, if they shall, and what was counted becomes set-up.
func (own *turns) restart(forget bool) {
	one := own.current()
	if one == nil {
		return
	}
	for index := range one.sites {
		switch one.mode {
		case timed:
			one.sites[index].reset(forget)
		case count:
			one.sites[index].recount(forget, &one.counted[index])
			if !own.begun {
				one.sites[index].loading = one.sites[index].setUp
			}
		}
	}
	own.begun = true
}

// current returns the arm whose turn it is, nil in a baseline turn.
func (own *turns) current() *arm {
	if own.place >= len(own.programme) || own.programme[own.place] == baseline {
		return nil
	}
	return &own.arms[own.programme[own.place]]
}

// String is what a flag must have.
func (own *turns) String() string { return "" }

// Set ends a turn, in which an invocation took so many nanoseconds, and begins the next one. No benchmark is under
// way then. After the last turn a baseline begins.
func (own *turns) Set(tookNs string) error {
	defer flush()
	if own.only {
		return nil
	}
	if own.place == 0 {
		own.firstEnd = now()
	}
	sinceFirst := now() - own.firstEnd
	for place := range own.arms {
		own.arms[place].turns.sinceFirstNs = sinceFirst
	}
	if one := own.current(); one != nil {
		one.part(false)
		one.turns.number++
		if took, err := strconv.ParseFloat(tookNs, 64); err == nil && one.mode == delaying && one.slowed == nil {
			own.control(took)
		}
	}
	if own.place < len(own.programme) {
		own.place++
	}
	own.begin()
	return nil
}

// control notes how long the control took in a turn.
func (own *turns) control(tookNs float64) {
	before := own.lastControlNs
	if before == 0 {
		before = tookNs
	}
	own.lastControlNs = tookNs
	switch {
	case before > interrupted*tookNs:
		own.controlNs = tookNs
	case tookNs > interrupted*before:
		own.controlNs = before
	default:
		own.controlNs = (before + tookNs) / 2
	}
}

func (own *turns) begin() {
	one := own.current()
	if one == nil {
		one = &arm{}
	}
	one.fit(own.controlNs)
	one.begin()
}
