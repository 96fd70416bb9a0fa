package main

import (
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

const (
	// Steps are divided into turns of about so long, so that all of them meet the same moments: a processor that
	// others use, too, changes its speed within some milliseconds. Before each turn Go collects all garbage, so in
	// shorter ones memory would seem to cost nothing. What comes with a turn, mostly a benchmark's own set-up, shall
	// not take longer than the turn.
	turnS     = 0.0025
	mostTurns = 20
	// Where time is read, collections of garbage that come once in a turn, always in the same place, must not pass
	// for what is executed there: such turns have at least so many invocations.
	leastTimed = 8
	// As long as that is not known, there are so many turns of each step...
	fewTurns = 2
	// ...and but one where it takes longer than this.
	dearS = 0.01
	// baseline is a turn without active probes: it says how fast process and processor are just now.
	baseline = -1
	none     = -1
)

// Joint is what became of a block whose steps took turns in one process.
type Joint struct {
	Record string `json:"record"`
	Block  string `json:"block"`
	// Turns tells which step each result belongs to; -1: to none, it is a plain one.
	Turns []int `json:"turns"`
	// Asked is the number of invocations in a turn.
	Asked  int     `json:"asked"`
	LimitS float64 `json:"limit_s"`
	// Tallies are the texts that the probes left, one for each step; empty where there are no probes.
	Tallies []string `json:"tallies"`
	Outcome
}

// canTakeTurns tells whether one process can execute all steps of a block: the probes are told by the testing
// package when one of equal runs ends. Steps without any probe are not switched by anything; whoever asks for
// several of those asks for several processes.
func (one *Package) canTakeTurns(block Block) bool {
	if one.Error != "" || !one.Probed || !one.Turns || len(block.Steps) < 2 {
		return false
	}
	first, probed := block.Steps[0].Invocations, false
	if first == nil || *first < fewTurns {
		return false
	}
	for _, step := range block.Steps {
		if step.Invocations == nil || *step.Invocations != *first {
			return false
		}
		if step.Iterations != 1 || step.Warmup != 0 || step.Arm.mode() == count {
			return false
		}
		probed = probed || step.Arm.mode() != off
	}
	return probed
}

// inTurns executes a block in one process and tells whether every step had its turns. If not, each step has to
// show alone what is the matter.
func (plan *Plan) inTurns(one Package, name string, block Block) (Joint, bool) {
	each := plan.turnsEach(block)
	joint := Joint{
		Record: "turns",
		Block:  block.ID,
		Turns:  block.programme(each),
		Asked:  (*block.Steps[0].Invocations + each/2) / each,
		LimitS: block.LimitS,
	}
	control := block.control()
	var words []string
	for _, number := range joint.Turns {
		if number == baseline {
			words = append(words, "-")
		} else {
			words = append(words, strconv.Itoa(number))
		}
	}
	selected, env := plan.selecting(one, name)
	env = append(env, "ABS_PROBE_TURNS="+strings.Join(words, " "))
	for number, step := range block.Steps {
		removeTally(plan.tallyOf(number))
		env = append(env, probeEnvironment(step.Arm, plan.tallyOf(number), fmt.Sprintf("_%d", number))...)
	}
	joint.Outcome = plan.start(one, env, joint.LimitS, append(selected,
		fmt.Sprintf("-test.benchtime=%dx", joint.Asked),
		fmt.Sprintf("-test.count=%d", len(joint.Turns)),
	)...)
	results := joint.results()
	good := joint.Exit == 0 && joint.Signal == "" && !joint.TimedOut && len(results) == len(joint.Turns)
	lastedS := 0.0
	for number, step := range block.Steps {
		_, sized := step.Arm["ABS_PROBE_CONTROL_NS"]
		tally, found := sumOfParts(plan.tallyOf(number), sized && control != none)
		removeTally(plan.tallyOf(number))
		lastedS = max(lastedS, 1e-9*float64(tally.lastedNS))
		text := ""
		if step.Arm.mode() != off {
			text = tally.text()
			good = good && found && tally.Turns == int64(each)
		}
		joint.Tallies = append(joint.Tallies, text)
	}
	if good {
		plan.learn(block.Benchmark, lastedS, results)
	}
	return joint, good
}

// turnsEach returns the number of turns of each step: an even one, there and back, or one.
func (plan *Plan) turnsEach(block Block) int {
	if block.Steps[0].Undivided {
		return 1
	}
	extraS, known := plan.ExtraS[block.Benchmark]
	if !known {
		return fewTurns
	}
	if extraS > dearS {
		return 1
	}
	wanted := block.Steps[0].TargetS / max(turnS, extraS)
	most := *block.Steps[0].Invocations
	if slices.ContainsFunc(block.Steps, func(step Step) bool { return step.Arm.mode() == "time" }) {
		most /= leastTimed
	}
	each := min(int(wanted), mostTurns, most)
	return max(each-each%2, fewTurns)
}

// learn notes what comes with each turn of a benchmark, from how long all but the first lasted: the least of
// what was found, as interruptions make it longer.
func (plan *Plan) learn(benchmark string, lastedS float64, results []float64) {
	turns := len(results) - 1
	extraS := lastedS / float64(turns)
	for _, tookS := range results[1:] {
		extraS -= tookS / float64(turns)
	}
	if known, found := plan.ExtraS[benchmark]; !found || extraS < known {
		plan.ExtraS[benchmark] = max(extraS, 0)
	}
}

// known is where what executing has shown is kept for the next command.
func (plan *Plan) known() string { return filepath.Join(filepath.Dir(plan.Results), "turns.json") }

// results returns the seconds of each result that was printed.
func (joint *Joint) results() []float64 {
	var found []float64
	for _, one := range counted.FindAllStringSubmatch(joint.Output, -1) {
		if one[1] == strconv.Itoa(joint.Asked) {
			onceNS, _ := strconv.ParseFloat(one[2], 64)
			found = append(found, 1e-9*onceNS*float64(joint.Asked))
		}
	}
	return found
}

// programme returns which step each turn belongs to: there and back, so that what changes steadily is the same
// for all, but a control is the first one, since delays are in proportion to it. A baseline comes before each
// way, and one more warms the process up; where turns are dear, there is but one way, and its baseline warms up.
func (block *Block) programme(each int) []int {
	var there []int
	control := block.control()
	if control != none {
		there = append(there, control)
	}
	for place := range block.Steps {
		if place != control {
			there = append(there, place)
		}
	}
	var turns []int
	if each > 1 {
		turns = append(turns, baseline)
	}
	for way := 0; way < each; way++ {
		turns = append(turns, baseline)
		for place := range there {
			if way%2 == 1 {
				place = len(there) - 1 - place
			}
			turns = append(turns, there[place])
		}
	}
	return turns
}

// control returns the first step with a control, or none.
func (block *Block) control() int {
	for place, step := range block.Steps {
		if step.Arm.mode() == "control" {
			return place
		}
	}
	return none
}

// tallyOf returns the begin of the names of the files that one of several arms leaves.
func (plan *Plan) tallyOf(number int) string { return fmt.Sprintf("%s-%d", plan.tally(), number) }
