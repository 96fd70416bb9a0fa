package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"strings"
)

// Block holds the steps of one benchmark that are executed next to each other.
type Block struct {
	ID        string  `json:"id"`
	Benchmark string  `json:"benchmark"`
	Steps     []Step  `json:"steps"`
	LimitS    float64 `json:"limit_s"`
}

// Step is one trial to make; without invocations, a number of them worth TargetS is found.
type Step struct {
	Arm         Arm     `json:"arm"`
	Invocations *int    `json:"invocations"`
	TargetS     float64 `json:"target_s"`
	Iterations  int     `json:"iterations"`
	Warmup      int     `json:"warmup"`
	// Undivided steps have one turn, whatever that takes: the first invocations of each are unlike the others.
	Undivided bool `json:"undivided"`
}

// Arm is what its probes are told, by the names of their variables.
type Arm map[string]string

func (arm Arm) mode() string { return arm["ABS_PROBE_MODE"] }

// Record is what became of a step.
type Record struct {
	Record   string `json:"record"`
	Block    string `json:"block"`
	Position int    `json:"position"`
	// Missing tells why the step could not even be tried; empty where it was.
	Missing string  `json:"missing"`
	Asked   int     `json:"asked"`
	LimitS  float64 `json:"limit_s"`
	// Tally is the text that the probe left, empty where it left none.
	Tally  string `json:"tally"`
	Probed bool   `json:"probed"`
	// Whole is the benchmark that was executed with all its parts, as this one breaks down alone; else empty.
	Whole string `json:"whole"`
	// Profile is that of the processor, in mode sample; JSON has it in base64.
	Profile []byte `json:"profile"`
	Outcome
}

const (
	off    = "off"
	count  = "count"
	sample = "sample"
	// A limit that is shared by many steps may become too small to start a process in.
	leastLimitS = 5.0
	// The process ends itself where this driver was killed before it could do so.
	graceS = 10.0
	// That of a few seconds has some tens of kilobytes.
	largestProfile = 16 << 20
	// longestVariable is less than the 128 KiB that Linux hands over.
	longestVariable = 100_000
)

// execute executes all blocks in their order and writes a record for each step.
func execute(plan *Plan) error {
	var packages []Package
	if err := readJSON(plan.listing(), &packages); err != nil {
		return err
	}
	if readJSON(plan.known(), &plan.Known) != nil || plan.ExtraS == nil || plan.Whole == nil {
		plan.Known = Known{ExtraS: map[string]float64{}, Whole: map[string]bool{}}
	}
	for _, block := range plan.Blocks {
		one, name := find(packages, block.Benchmark)
		if one != nil && one.canTakeTurns(block) {
			joint, good := plan.inTurns(*one, name, block)
			if good {
				if err := appendJSON(plan.Results, joint); err != nil {
					return err
				}
				continue
			}
		}
		limitS := max(block.LimitS/float64(len(block.Steps)), min(block.LimitS, leastLimitS))
		for position, step := range block.Steps {
			record := Record{Record: "step", Block: block.ID, Position: position, LimitS: limitS}
			if one == nil || one.Error != "" {
				record.Missing = absence(one)
			} else {
				record = plan.persistently(*one, name, step, record)
				if plan.Whole[block.Benchmark] {
					whole, _, _ := strings.Cut(name, "/")
					record.Whole = one.Path + "." + whole
				}
			}
			if err := appendJSON(plan.Results, record); err != nil {
				return err
			}
		}
	}
	return writeJSON(plan.known(), plan.Known)
}

// persistently executes a step. A part of a benchmark that breaks down alone may stand where the others are executed,
// too, say because what they made is closed behind each of them: that is tried once, and kept in mind.
func (plan *Plan) persistently(one Package, name string, step Step, empty Record) Record {
	alone, whole := empty, empty
	plan.perform(one, name, step, &alone)
	id := one.Path + "." + name
	if _, tried := plan.Whole[id]; tried || alone.Exit == 0 || alone.TimedOut || !one.Turns || !strings.Contains(name, "/") {
		return alone
	}
	plan.Whole[id] = true
	plan.perform(one, name, step, &whole)
	plan.Whole[id] = whole.Exit == 0
	if plan.Whole[id] {
		return whole
	}
	return alone
}

// selecting returns the arguments that select a benchmark, and the variables that go with them.
func (plan *Plan) selecting(one Package, name string) ([]string, []string) {
	if !plan.Whole[one.Path+"."+name] {
		return alone(name), nil
	}
	whole, _, _ := strings.Cut(name, "/")
	return []string{"-test.bench=" + exactly(whole)}, []string{meant + "=" + name}
}

// alone selects a benchmark without those whose names go on behind it, as those of paths may: Go takes them for
// its parts, and has a flag against that from 1.20 on.
func alone(name string) []string {
	selected := []string{"-test.bench=" + exactly(name)}
	if strings.Contains(name, "/") && !strings.HasPrefix(runtime.Version(), "go1.1") {
		selected = append(selected, "-test.skip="+exactly(name)+"/")
	}
	return selected
}

// find returns the package of a benchmark and the benchmark's own name.
func find(packages []Package, id string) (*Package, string) {
	var found *Package
	for index := range packages {
		path := packages[index].Path
		if strings.HasPrefix(id, path+".Benchmark") && (found == nil || len(path) > len(found.Path)) {
			found = &packages[index]
		}
	}
	if found == nil {
		return nil, ""
	}
	name := id[len(found.Path)+1:]
	whole, _, _ := strings.Cut(name, "/")
	for _, known := range found.Names {
		if known == whole {
			return found, name
		}
	}
	return nil, ""
}

func absence(one *Package) string {
	if one == nil {
		return "the suite has no such benchmark"
	}
	return one.Error
}

// counted finds the number of invocations and the time of one, as the testing package prints them.
var counted = regexp.MustCompile(`(\d+)\t *([-+.eE\d]+) ns/op`)

// perform executes a step: with a fixed number of invocations, or with one that is found first.
func (plan *Plan) perform(one Package, name string, step Step, record *Record) {
	record.Probed = one.Probed
	if step.Invocations != nil {
		plan.fixed(one, name, step, *step.Invocations, record)
		return
	}
	selected, env := plan.selecting(one, name)
	arguments := append(selected, "-test.benchtime="+seconds(step.TargetS))
	record.Outcome = plan.start(one, env, record.LimitS, append(arguments, tellingSkips(env)...)...)
	if step.Iterations+step.Warmup == 1 && step.Arm.mode() == off {
		return
	}
	all := counted.FindAllStringSubmatch(record.Output, -1)
	if record.Exit != 0 || len(all) == 0 {
		return
	}
	invocations, err := strconv.Atoi(all[len(all)-1][1])
	if err == nil {
		plan.fixed(one, name, step, invocations, record)
	}
}

// tellingSkips returns what makes a benchmark say that it skips itself, given the variables that select it.
func tellingSkips(selecting []string) []string {
	if len(selecting) > 0 {
		// A part beside it that skips itself would look like this one.
		return nil
	}
	return []string{"-test.v=test2json"}
}

func (plan *Plan) fixed(one Package, name string, step Step, invocations int, record *Record) {
	tally := plan.tally()
	removeTally(tally)
	record.Asked = invocations
	selected, env := plan.selecting(one, name)
	arguments := append(selected,
		fmt.Sprintf("-test.benchtime=%dx", invocations),
		fmt.Sprintf("-test.count=%d", step.Iterations+step.Warmup),
	)
	if step.Arm.mode() == count {
		arguments = append(arguments, tellingSkips(env)...)
	}
	profile := filepath.Join(filepath.Dir(plan.Results), fmt.Sprintf("profile-%d", os.Getpid()))
	if step.Arm.mode() == sample {
		arguments = append(arguments, "-test.cpuprofile="+profile)
	}
	env = append(env, probeEnvironment(step.Arm, tally, "")...)
	record.Outcome = plan.start(one, env, record.LimitS, arguments...)
	if step.Arm.mode() == sample {
		record.Profile = profileIn(profile)
		_ = os.Remove(profile)
	}
	record.Tally = readTally(tally, step.Arm.mode() == count)
	removeTally(tally)
}

// profileIn returns what a process left of its profile: nothing where it left something else, which is no
// evidence to whoever reads it.
func profileIn(path string) []byte {
	left, err := os.Lstat(path)
	if err != nil || !left.Mode().IsRegular() || left.Size() > largestProfile {
		return nil
	}
	content, err := os.ReadFile(path)
	if err != nil {
		return nil
	}
	return content
}

// tally returns the begin of the names of the files that a process leaves.
func (plan *Plan) tally() string {
	return filepath.Join(filepath.Dir(plan.Results), fmt.Sprintf("tally-%d", os.Getpid()))
}

// probeEnvironment tells the probes of a process what to do, in variables that end in a suffix.
func probeEnvironment(arm Arm, tally, suffix string) []string {
	var variables []string
	for name, value := range arm {
		if len(value) > longestVariable {
			value = inFile(filepath.Join(filepath.Dir(tally), fmt.Sprintf("%s%s-%d", name, suffix, os.Getpid())), value)
		}
		variables = append(variables, name+suffix+"="+value)
	}
	if arm.mode() == off {
		return variables
	}
	return append(variables, "ABS_PROBE_TALLY"+suffix+"="+tally)
}

// inFile keeps what is too long for a variable, and returns what names it there; where it cannot be kept, the
// process does not start, and says so.
func inFile(path, value string) string {
	if os.WriteFile(path, []byte(value), 0o600) != nil {
		return value
	}
	return "@" + path
}

// start executes a test binary in its package's folder, where its data lie.
func (plan *Plan) start(one Package, env []string, limitS float64, arguments ...string) Outcome {
	argv := append([]string{
		one.Binary, "-test.run=^$", "-test.paniconexit0", "-test.timeout=" + seconds(limitS+graceS),
	}, arguments...)
	env = append(append(plainEnvironment(), "PWD="+one.Dir), env...)
	keep, silentS := stepLimit, 0.0
	if plan.Task == "discover" {
		keep, silentS = listingLimit, plan.OneLimit
	}
	return run(Task{argv: argv, dir: one.Dir, env: env, limitS: limitS, silentS: silentS, keep: keep, copied: plan.copied})
}

// seconds writes a duration as the testing package reads it.
func seconds(number float64) string { return strconv.FormatFloat(number, 'f', -1, 64) + "s" }

// plainEnvironment is ours without what would wake a probe.
func plainEnvironment() []string {
	var plain []string
	for _, entry := range os.Environ() {
		if !strings.HasPrefix(entry, "ABS_PROBE_") {
			plain = append(plain, entry)
		}
	}
	return plain
}
