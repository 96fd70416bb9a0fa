package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
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
	Error          *struct{ Err string }
}

// A binary that does nothing takes so long at most.
const startLimitS = 60.0

const listedFields = "-json=ImportPath,Dir,TestGoFiles,XTestGoFiles,InvalidGoFiles,Error"

// build compiles every package with benchmarks and writes down what came of it.
// It fails where not one of them compiles.
func build(plan *Plan) error {
	if err := os.MkdirAll(plan.Binaries, 0o755); err != nil {
		return err
	}
	var packages []Package
	var problems []string
	seen := map[string]bool{}
	for _, module := range plan.Modules {
		found, problem := plan.packagesOf(module)
		if problem != "" {
			problems = append(problems, problem)
		}
		overlay := ""
		if len(found) > 0 {
			overlay = plan.overlaid(module)
		}
		for _, one := range found {
			if seen[one.Path] {
				continue
			}
			seen[one.Path] = true
			plan.compile(module, overlay, &one)
			packages = append(packages, one)
		}
	}
	if err := writeJSON(plan.listing(), packages); err != nil {
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

// packagesOf lists the packages of a module that hold benchmarks.
func (plan *Plan) packagesOf(module Module) ([]Package, string) {
	dir := filepath.Join(plan.Root, module.Dir)
	output, problem := plan.goCommand(dir, module, "list", "-e", listedFields, "./...")
	if problem != "" {
		return nil, problem
	}
	var found []Package
	decoder := json.NewDecoder(bytes.NewReader(output))
	for {
		var one listed
		if err := decoder.Decode(&one); err == io.EOF {
			return found, ""
		} else if err != nil {
			return found, "go list: " + err.Error()
		}
		files := append(append(one.TestGoFiles, one.XTestGoFiles...), one.InvalidGoFiles...)
		names := benchmarkNames(one.Dir, files)
		if len(names) > 0 && plan.wanted(one.Dir) {
			found = append(found, Package{Path: one.ImportPath, Dir: one.Dir, Names: names})
		}
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

func (plan *Plan) compile(module Module, overlay string, one *Package) {
	name := fmt.Sprintf("%x", sha256.Sum256([]byte(one.Path)))[:16]
	binary := filepath.Join(plan.Binaries, name+".test")
	_ = os.Remove(binary)
	dir := filepath.Join(plan.Root, module.Dir)
	arguments := []string{"test", "-c", "-vet=off", "-o", binary}
	if overlay != "" {
		arguments = append(arguments, "-overlay="+overlay)
	}
	if _, problem := plan.goCommand(dir, module, append(arguments, one.Path)...); problem != "" {
		one.Error = "does not compile: " + problem
		return
	}
	digest, err := digestOf(binary)
	if err != nil {
		// With no test files left after all, go says so and makes nothing.
		one.Error = "does not compile: " + err.Error()
		return
	}
	one.Binary, one.Digest, one.Turns = binary, digest, overlay != ""
	one.Probed = plan.isProbed(dir, module, *one)
}

// isProbed tells whether a test binary holds a probe. Two witnesses are asked, since a binary without one is
// believed to call nothing: its packages, by the files that only an injector writes, and the process itself,
// whose probe writes a tally as soon as it starts. In doubt there is a probe, and its tally is then missed.
func (plan *Plan) isProbed(dir string, module Module, one Package) bool {
	prefix := one.Binary + ".tally"
	removeTally(prefix)
	outcome := plan.start(one, []string{"ABS_PROBE_MODE=off", "ABS_PROBE_TALLY=" + prefix}, startLimitS, "-test.list=^$")
	left := readTally(prefix)
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
