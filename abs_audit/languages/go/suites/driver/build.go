package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"time"
)

// Package is a Go package with benchmarks, and the test binary that was made of it.
type Package struct {
	Path   string   `json:"path"`
	Dir    string   `json:"dir"`
	Binary string   `json:"binary"`
	Digest string   `json:"digest"`
	Names  []string `json:"names"`
	Error  string   `json:"error"`
	// Probed tells whether the probe is among the packages that the binary was made of.
	Probed bool `json:"probed"`
	// Turns tells whether the binary tells its probes when a run of a benchmark ends.
	Turns bool `json:"turns"`
}

// listed is what `go list -json` tells of a package, as far as it matters here.
type listed struct {
	ImportPath     string
	Dir            string
	TestGoFiles    []string
	XTestGoFiles   []string
	InvalidGoFiles []string
	IgnoredGoFiles []string
	Error          *struct{ Err string }
}

// A binary that does nothing takes so long at most.
const startLimitS = 60.0

const listedFields = "-json=ImportPath,Dir,TestGoFiles,XTestGoFiles,InvalidGoFiles,IgnoredGoFiles,Error"

// build compiles every package with benchmarks and writes down what came of it.
// It fails where not one of them compiles.
func build(plan *Plan) error {
	if err := os.MkdirAll(plan.Binaries, 0o755); err != nil {
		return err
	}
	var packages []Package
	behind := plan.Apart
	var problems []string
	seen := map[string]bool{}
	carriesProbe := plan.carriesProbe()
	for _, module := range plan.Modules {
		found, left, problem := plan.packagesOf(module)
		behind = append(behind, left...)
		if problem != "" {
			problems = append(problems, problem)
		}
		var fresh []Package
		for _, benchmarking := range found {
			if !seen[benchmarking.Path] {
				seen[benchmarking.Path] = true
				fresh = append(fresh, benchmarking)
			}
		}
		if len(fresh) == 0 {
			continue
		}
		plan.compile(module, fresh)
		for index := range fresh {
			compiled := &fresh[index]
			compiled.Probed = compiled.Error == "" && carriesProbe && plan.isProbed(module, *compiled)
		}
		packages = append(packages, fresh...)
	}
	if err := errors.Join(writeJSON(plan.listing(), packages), writeJSON(plan.behind(), behind)); err != nil {
		return err
	}
	return anyOf(packages, problems)
}

// anyOf returns the first problem where there is nothing else, and tells the others on the way.
func anyOf(packages []Package, problems []string) error {
	compiled := 0
	for _, one := range packages {
		if one.Error == "" {
			compiled++
		} else {
			problems = append(problems, one.Path+": "+one.Error)
		}
	}
	if compiled == 0 && len(problems) > 0 {
		return errors.New(problems[0])
	}
	for _, problem := range problems {
		fmt.Fprintln(os.Stderr, problem)
	}
	return nil
}

// packagesOf lists the packages of a module that hold benchmarks, and the benchmarks behind build tags.
func (plan *Plan) packagesOf(module Module) ([]Package, []Behind, string) {
	all, problem := plan.packages(module, "./...")
	if all == nil && problem != "" {
		return nil, nil, problem
	}
	if skipped := plan.skipped(module, all); len(skipped) > 0 {
		more, _ := plan.packages(module, skipped...)
		all = append(all, more...)
	}
	var found []Package
	var behind []Behind
	for _, one := range all {
		if !plan.wanted(one.Dir) {
			continue
		}
		files := append(append(one.TestGoFiles, one.XTestGoFiles...), one.InvalidGoFiles...)
		names := benchmarkNames(one.Dir, files)
		if len(names) > 0 {
			found = append(found, Package{Path: one.ImportPath, Dir: one.Dir, Names: names})
		}
		behind = append(behind, plan.behindTags(one, names)...)
	}
	return found, behind, problem
}

// packages returns what go lists of a module, as far as it comes.
func (plan *Plan) packages(module Module, patterns ...string) ([]listed, string) {
	arguments := append([]string{"list", "-e", listedFields}, patterns...)
	output, problem := plan.goCommand(filepath.Join(plan.Root, module.Dir), module, arguments...)
	if problem != "" {
		return nil, problem
	}
	var all []listed
	decoder := json.NewDecoder(bytes.NewReader(output))
	for {
		var one listed
		if err := decoder.Decode(&one); err == io.EOF {
			return all, ""
		} else if err != nil {
			return all, "go list: " + err.Error()
		}
		all = append(all, one)
	}
}

// wanted tells whether a folder lies where the user says that the benchmarks are.
func (plan *Plan) wanted(dir string) bool {
	for _, path := range plan.Paths {
		within, err := filepath.Rel(filepath.Join(plan.Root, path), dir)
		if err == nil && within != ".." && !strings.HasPrefix(within, ".."+string(filepath.Separator)) {
			return true
		}
	}
	return len(plan.Paths) == 0
}

// compile makes the test binaries of packages: all that it can by one command, since each has to read what the
// packages depend on and they have most of it in common; then, one by one, those that this made nothing of.
func (plan *Plan) compile(module Module, packages []Package) {
	dir, overlay := filepath.Join(plan.Root, module.Dir), plan.overlaid(module)
	arguments := []string{"test", "-c", "-vet=off"}
	if overlay != "" {
		arguments = append(arguments, "-overlay="+overlay)
	}
	together := plan.compiledTogether(dir, module, arguments, packages)
	for index := range packages {
		benchmarking := &packages[index]
		name := fmt.Sprintf("%x", sha256.Sum256([]byte(benchmarking.Path)))[:16]
		binary := filepath.Join(plan.Binaries, name+".test")
		_ = os.Remove(binary)
		if os.Rename(together[benchmarking.Path], binary) != nil {
			alone := append(append([]string{}, arguments...), "-o", binary, benchmarking.Path)
			if _, problem := plan.goCommand(dir, module, alone...); problem != "" {
				benchmarking.Error = "does not compile: " + problem
				continue
			}
		}
		digest, err := digestOf(binary)
		if err != nil {
			// With no test files left after all, go says so and makes nothing.
			benchmarking.Error = "does not compile: " + err.Error()
			continue
		}
		benchmarking.Binary, benchmarking.Digest, benchmarking.Turns = binary, digest, overlay != ""
	}
}

// compiledTogether returns the binaries that one command may have made, by import path. Go names a binary after
// the last element of the path; of packages that share it the first takes part.
func (plan *Plan) compiledTogether(dir string, module Module, arguments []string, packages []Package) map[string]string {
	folder := filepath.Join(plan.Binaries, "together")
	_ = os.RemoveAll(folder)
	if os.MkdirAll(folder, 0o755) != nil {
		return nil
	}
	binaries, taken := map[string]string{}, map[string]bool{}
	command := append(append([]string{}, arguments...), "-o", folder+string(filepath.Separator))
	for _, benchmarking := range packages {
		name := executableName(benchmarking.Path)
		if !taken[name] {
			taken[name] = true
			binaries[benchmarking.Path] = filepath.Join(folder, name+".test")
			command = append(command, benchmarking.Path)
		}
	}
	// What fails says so again when it is compiled alone.
	if len(binaries) > 1 {
		_, _ = plan.goCommand(dir, module, command...)
	}
	return binaries
}

var majorVersion = regexp.MustCompile(`^v[0-9]+$`)

// executableName returns what go calls the executable of a package.
func executableName(importPath string) string {
	folder, name := path.Split(importPath)
	if folder != "" && majorVersion.MatchString(name) {
		return path.Base(folder)
	}
	return name
}

// carriesProbe tells whether an injector has written into the copy at all.
func (plan *Plan) carriesProbe() bool {
	found := false
	_ = filepath.WalkDir(plan.Root, func(_ string, entry fs.DirEntry, err error) error {
		if err == nil && !entry.IsDir() {
			if matches, _ := filepath.Match(plan.Probe, entry.Name()); matches {
				found = true
				return filepath.SkipAll
			}
		}
		return nil
	})
	return found
}

// isProbed tells whether a test binary holds a probe. Two witnesses are asked, since a binary without one is
// believed to call nothing: its packages, by the files that only an injector writes, and the process itself,
// whose probe writes a tally as soon as it starts. In doubt there is a probe, and its tally is then missed.
func (plan *Plan) isProbed(module Module, one Package) bool {
	dir := filepath.Join(plan.Root, module.Dir)
	prefix := one.Binary + ".tally"
	removeTally(prefix)
	outcome := plan.start(one, []string{"ABS_PROBE_MODE=off", "ABS_PROBE_TALLY=" + prefix}, startLimitS, "-test.list=^$")
	left := readTally(prefix, false)
	removeTally(prefix)
	if left != "" || outcome.TimedOut {
		return true
	}
	output, problem := plan.goCommand(dir, module, "list", "-e", "-deps", "-test", "-f", "{{.Dir}}", one.Path)
	if problem != "" {
		return true
	}
	for _, folder := range strings.Split(string(output), "\n") {
		if matches, _ := filepath.Glob(filepath.Join(folder, plan.Probe)); folder != "" && len(matches) > 0 {
			return true
		}
	}
	return false
}

// goCommand returns what a go command prints, or one line that tells why it failed.
func (plan *Plan) goCommand(dir string, module Module, arguments ...string) ([]byte, string) {
	command := exec.Command(plan.Go, arguments...)
	command.Dir = dir
	command.SysProcAttr = ownGroup()
	command.Env = os.Environ()
	for name, value := range module.Env {
		command.Env = append(command.Env, name+"="+value)
	}
	var output, log bytes.Buffer
	command.Stdout, command.Stderr = &output, &log
	command.WaitDelay = drain
	if err := command.Start(); err != nil {
		return nil, err.Error()
	}
	late := time.AfterFunc(time.Duration(plan.PackageLimit*float64(time.Second)), func() {
		killGroup(command.Process.Pid)
	})
	err := command.Wait()
	if !late.Stop() {
		return nil, fmt.Sprintf("go %s was not done after %g s", arguments[0], plan.PackageLimit)
	}
	if err != nil {
		return nil, firstError(log.String()+output.String(), err)
	}
	return output.Bytes(), ""
}

// firstError returns the first line that tells of an error; headings tell none.
func firstError(log string, err error) string {
	for _, line := range strings.Split(log, "\n") {
		line = strings.TrimSpace(line)
		if line != "" && !strings.HasPrefix(line, "#") && !strings.HasPrefix(line, "go: downloading") {
			return line
		}
	}
	var failed *exec.ExitError
	if errors.As(err, &failed) {
		if status, ok := failed.Sys().(syscall.WaitStatus); ok && status.Signaled() {
			return "killed: " + status.Signal().String()
		}
	}
	return err.Error()
}

func digestOf(path string) (string, error) {
	file, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer file.Close()
	digest := sha256.New()
	if _, err := io.Copy(digest, file); err != nil {
		return "", err
	}
	return fmt.Sprintf("%x", digest.Sum(nil)), nil
}
