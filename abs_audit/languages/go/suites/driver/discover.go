package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"regexp"
	"slices"
	"strings"
	"time"
)

// Listing is what running each benchmark of a package once has shown.
type Listing struct {
	Record  string   `json:"record"`
	Package string   `json:"package"`
	Procs   string   `json:"procs"`
	Names   []string `json:"names"`
	Error   string   `json:"error"`
	Visits  []Visit  `json:"visits"`
}

// Visit is one run of some benchmarks, an invocation each.
type Visit struct {
	Names []string `json:"names"`
	// Skipped are sub-benchmarks that were left out because they had ended earlier visits.
	Skipped []string `json:"skipped"`
	LimitS  float64  `json:"limit_s"`
	// Cut tells that it was ended together with an earlier process of ours: nothing that it ran is to blame.
	Cut bool `json:"cut"`
	// GivenUp tells that the benchmark may have further sub-benchmarks, which nobody looks for.
	GivenUp bool `json:"given_up"`
	Outcome
}

// What failed is visited again after so long: a hanging benchmark must not cost its time with every command,
// nor must one that lacked a service stay broken when that is there.
const tryAgain = 15 * time.Minute

// Times as long as before that is worth another visit.
const muchMore = 1.2

// Times as long as before that a benchmark may take which came further than before.
const longer = 2

// A benchmark that goes on crashing however many of its sub-benchmarks are left out is given up.
const mostVisits = 30

// Nor are further ones looked for where so many took longer than a benchmark may.
const mostSlow = 3

// begun is said of a benchmark before it runs for the first time, with the name that filters know.
var begun = regexp.MustCompile(runs + `(Benchmark\S*)`)

const runs = "\x16=== RUN   "

// discover runs the benchmarks of each package once, since only that shows the sub-benchmarks.
func discover(plan *Plan) error {
	var packages []Package
	if err := readJSON(plan.listing(), &packages); err != nil {
		return err
	}
	for _, one := range packages {
		if err := appendJSON(plan.Results, plan.list(one)); err != nil {
			return err
		}
	}
	var behind []Behind
	if err := readJSON(plan.behind(), &behind); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	for _, left := range behind {
		if err := appendJSON(plan.Results, left); err != nil {
			return err
		}
	}
	return appendJSON(plan.Results, map[string]any{"record": "end", "problem": nil})
}

// list returns the listing of a package: a recorded one where the very same binary was visited before.
func (plan *Plan) list(one Package) Listing {
	listing := Listing{
		Record: "package", Package: one.Path, Procs: os.Getenv("GOMAXPROCS"), Names: one.Names, Error: one.Error,
	}
	if one.Error != "" {
		return listing
	}
	memory := one.Binary + "." + one.Digest[:16] + "-" + listing.Procs + ".listing.json"
	var known Listing
	if readJSON(memory, &known) == nil && (known.isClean() || isFresh(memory) && known.waited(plan.OneLimit)) {
		return known
	}
	plan.diary = openDiary(memory)
	listing.Names = plan.compiledNames(one)
	ended, rest := known.ended(listing.Names)
	listing.Visits = append(ended, plan.visits(one, rest)...)
	if writeJSON(memory, listing) == nil {
		plan.diary.remove()
	}
	return listing
}

// diary keeps the visits of a package whose listing is not whole, for a process that goes on where this one was
// ended: a line when each begins and when it ends, and what the last one has printed.
type diary struct {
	path, output string
	made         map[string]Visit
}

func openDiary(memory string) *diary {
	book := &diary{path: memory + ".visits", output: memory + ".output", made: map[string]Visit{}}
	fresh := isFresh(book.path)
	text, _ := os.ReadFile(book.path)
	var last Visit
	for _, line := range bytes.Split(text, []byte("\n")) {
		var visit Visit
		if json.Unmarshal(line, &visit) == nil {
			book.made[visit.key()], last = visit, visit
		}
	}
	if last.Cut && last.Output == "" {
		// The output of the next visit will replace it.
		last.Output = untilLastBegan(book.output)
		book.made[last.key()] = last
		_ = appendJSON(book.path, last)
	}
	for key, visit := range book.made {
		if (visit.Cut && len(endedIn(visit.Output)) == 0) || (visit.failed() && !fresh) {
			delete(book.made, key)
		}
	}
	return book
}

// visit returns a visit that was made before, as far as it came, or what making it now gives.
func (book *diary) visit(visit Visit, run func(copied *os.File) Outcome) Visit {
	if made, known := book.made[visit.key()]; known && !made.gaveUpBefore(visit.LimitS) {
		return made
	}
	begun := visit
	begun.Cut = true
	copied, _ := os.Create(book.output)
	defer copied.Close()
	_ = appendJSON(book.path, begun)
	visit.Outcome = run(copied)
	_ = appendJSON(book.path, visit)
	return visit
}

// untilLastBegan returns what was printed until the last benchmark began: all that ran before it came to its end.
func untilLastBegan(path string) string {
	printed, _ := os.ReadFile(path)
	all := begun.FindAllIndex(printed, -1)
	if len(all) == 0 {
		return ""
	}
	return string(bytes.ToValidUTF8(printed[:all[len(all)-1][1]], []byte("\uFFFD"))) + "\n"
}

func (book *diary) remove() {
	_ = os.Remove(book.path)
	_ = os.Remove(book.output)
}

func (visit Visit) key() string {
	return strings.Join(visit.Names, "|") + " without " + strings.Join(visit.Skipped, "|")
}

// isClean tells whether every benchmark came to its end. What did not, may do so another time.
func (listing Listing) isClean() bool {
	return len(listing.Visits) > 0 && !slices.ContainsFunc(listing.Visits, Visit.failed)
}

// waited tells whether what came to no end had about as long for it as it may have.
func (listing Listing) waited(limitS float64) bool {
	return !slices.ContainsFunc(listing.Visits, func(visit Visit) bool { return visit.gaveUpBefore(limitS) })
}

// ended returns the visits of benchmarks of which none failed, and the names of the others.
func (listing Listing) ended(names []string) ([]Visit, []string) {
	failed, settled := map[string]bool{}, map[string]bool{}
	for _, visit := range listing.Visits {
		for _, name := range visit.Names {
			failed[name] = failed[name] || visit.failed()
		}
	}
	var ended []Visit
	for _, visit := range listing.Visits {
		if slices.ContainsFunc(visit.Names, func(name string) bool { return failed[name] }) {
			continue
		}
		ended = append(ended, visit)
		for _, name := range visit.Names {
			settled[name] = true
		}
	}
	return ended, slices.DeleteFunc(slices.Clone(names), func(name string) bool { return settled[name] })
}

func (visit Visit) failed() bool { return visit.Exit != 0 || visit.TimedOut }

func (visit Visit) gaveUpBefore(limitS float64) bool {
	return visit.TimedOut && muchMore*visit.LimitS < limitS
}

func isFresh(path string) bool {
	found, err := os.Stat(path)
	return err == nil && time.Since(found.ModTime()) < tryAgain
}

// compiledNames asks the binary itself; where it cannot answer, the sources must do.
func (plan *Plan) compiledNames(one Package) []string {
	outcome := plan.start(one, nil, plan.OneLimit, "-test.list=^Benchmark")
	var names []string
	for _, line := range strings.Split(outcome.Output, "\n") {
		if isName.MatchString(line) {
			names = append(names, line)
		}
	}
	if outcome.Exit != 0 || len(names) == 0 {
		return one.Names
	}
	return names
}

var isName = regexp.MustCompile(`^Benchmark\w*$`)

// visits runs all benchmarks at once. Where that comes to no end, what ended stays, what did not is visited by
// itself, and the others go on together: none hides another, and hardly any is executed twice. What an earlier
// process saw before it was ended stays, too; the benchmark that ran then goes on with the others.
func (plan *Plan) visits(one Package, names []string) []Visit {
	var visits []Visit
	for len(names) > 0 {
		whole := plan.visit(one, names, nil, plan.WholeLimit)
		if !whole.Cut && !whole.crashed() {
			return append(visits, whole)
		}
		guilty, _, _ := strings.Cut(unended(whole.Output), "/")
		if !slices.Contains(names, guilty) {
			guilty = names[0]
		}
		before := whole.before(guilty)
		if len(before.Names) > 0 {
			visits = append(visits, before)
		}
		settled := before.Names
		if whole.Silent && guilty == unended(whole.Output) {
			// It had as long for itself as it may have.
			visits = append(visits, whole.only(guilty, plan.OneLimit))
			settled = append(slices.Clone(settled), guilty)
		} else if !whole.Cut || len(before.Names) == 0 {
			visits = append(visits, plan.persist(one, guilty)...)
			settled = append(slices.Clone(settled), guilty)
		}
		names = slices.DeleteFunc(slices.Clone(names), func(name string) bool {
			return slices.Contains(settled, name)
		})
	}
	return visits
}

// crashed tells whether a visit ended before its end, which failing benchmarks do not prevent.
func (visit Visit) crashed() bool {
	return visit.TimedOut || visit.Signal != "" || (visit.Exit != 0 && !ranToTheEnd(visit.Output))
}

// before returns what a visit has shown until a benchmark began; all of that came to its end.
func (visit Visit) before(name string) Visit {
	begin := strings.Index(visit.Output, runs+name+"\n")
	ended := Visit{LimitS: visit.LimitS, Skipped: append(slices.Clone(visit.Skipped), name)}
	ended.Output = visit.Output[:max(0, begin)]
	for _, begin := range begun.FindAllStringSubmatch(ended.Output, -1) {
		if slices.Contains(visit.Names, begin[1]) {
			ended.Names = append(ended.Names, begin[1])
		}
	}
	return ended
}

// only returns what a visit has shown of the benchmark that ended it.
func (visit Visit) only(name string, limitS float64) Visit {
	last := Visit{Names: []string{name}, LimitS: limitS, Outcome: visit.Outcome}
	last.Output = visit.Output[max(0, strings.Index(visit.Output, runs+name+"\n")):]
	return last
}

// persist visits one benchmark again without the sub-benchmark that ended the visit, as often as it helps. One
// that had to share the time limit with others is visited without those before it is judged. Since each visit
// sets up anew what the sub-benchmarks have in common, one that ended some of them is followed by a longer one.
func (plan *Plan) persist(one Package, name string) []Visit {
	var visits []Visit
	var skipped []string
	limitS, slow := plan.OneLimit, 0
	for len(visits) < mostVisits && slow < mostSlow {
		visit := plan.visit(one, []string{name}, skipped, limitS)
		if visit.Silent {
			visit.LimitS = plan.OneLimit
		}
		guilty, ended := unended(visit.Output), endedIn(visit.Output)
		if (visit.Cut || visit.TimedOut) && len(ended) > 0 && !slices.Contains(ended, guilty) {
			visits = append(visits, visit.before(guilty))
			skipped = append(slices.Clone(skipped), ended...)
			limitS *= longer
			continue
		}
		visits = append(visits, visit)
		if !visit.crashed() || guilty == "" || guilty == name {
			return visits
		}
		if visit.TimedOut {
			slow++
		}
		skipped = append(slices.Clone(skipped), guilty)
	}
	visits[len(visits)-1].GivenUp = true
	return visits
}

// unended returns the first benchmark that began and did not end, or the last one where all did. It need not
// be the last one: while one panics Go already goes on with the next, until the process ends.
func unended(output string) string {
	name := ""
	for _, one := range sections(output) {
		name = one.name
		if !one.whole && !one.ended {
			return name
		}
	}
	return name
}

// endedIn returns the benchmarks that came to their end.
func endedIn(output string) []string {
	var names []string
	for _, one := range sections(output) {
		if one.ended {
			names = append(names, one.name)
		}
	}
	return names
}

// section is what was printed from the begin of a benchmark to that of the next.
type section struct {
	name         string
	ended, whole bool
}

func sections(output string) []section {
	all := begun.FindAllStringSubmatchIndex(output, -1)
	parts := make([]section, len(all))
	for index, one := range all {
		name := output[one[2]:one[3]]
		end, next := len(output), ""
		if index+1 < len(all) {
			end, next = all[index+1][0], output[all[index+1][2]:all[index+1][3]]
		}
		own := output[one[1]:end]
		ended := strings.Contains(own, "ns/op") || strings.Contains(own, "--- ")
		parts[index] = section{name: name, ended: ended, whole: strings.HasPrefix(next, name+"/")}
	}
	return parts
}

// ranToTheEnd tells whether the process said its last word, which failing benchmarks do not prevent.
func ranToTheEnd(output string) bool {
	words := strings.Fields(output)
	return len(words) > 0 && strings.TrimLeft(words[len(words)-1], "\x16") == "FAIL"
}

func (plan *Plan) visit(one Package, names, skipped []string, limitS float64) Visit {
	pattern := make([]string, len(names))
	for index, name := range names {
		pattern[index] = exactly(name)
	}
	arguments := []string{
		"-test.bench=" + strings.Join(pattern, "|"), "-test.benchtime=1x", "-test.v=test2json",
	}
	if len(skipped) > 0 {
		left := make([]string, len(skipped))
		for index, name := range skipped {
			left[index] = exactly(name)
		}
		arguments = append(arguments, "-test.skip="+strings.Join(left, "|"))
	}
	return plan.diary.visit(Visit{Names: names, Skipped: skipped, LimitS: limitS}, func(copied *os.File) Outcome {
		plan.copied = copied
		return plan.start(one, nil, limitS, arguments...)
	})
}

// exactly returns the pattern that one benchmark matches, and nothing beside it.
func exactly(name string) string {
	elements := strings.Split(name, "/")
	for index, element := range elements {
		elements[index] = "^" + regexp.QuoteMeta(element) + "$"
	}
	return strings.Join(elements, "/")
}
