// Command go_driver builds, lists and executes the benchmarks of Go packages, as a plan file says.
//
// Started as `go_driver PLAN.json`. Standard library only; built by the subject's own toolchain, so that
// nothing else is needed where it runs. Each step of a measurement is a process of its own, or takes turns with
// others in one. What the processes print is passed on as it is: reading it is the business of the program that
// wrote the plan.
package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
)

// Plan is everything that a task needs to know.
type Plan struct {
	Task     string   `json:"task"`
	Root     string   `json:"root"`
	Go       string   `json:"go"`
	Binaries string   `json:"binaries"`
	Results  string   `json:"results"`
	Modules  []Module `json:"modules"`
	Paths    []string `json:"paths"`
	// Apart are the benchmarks of modules below folders that go skips.
	Apart  []Behind `json:"apart"`
	Probe  string   `json:"probe"`
	Blocks []Block  `json:"blocks"`
	// Tags are the user's own, Platforms the words of build constraints that stand for systems and processors.
	Tags      []string `json:"tags"`
	Platforms []string `json:"platforms"`

	PackageLimit float64 `json:"package_limit_s"`
	WholeLimit   float64 `json:"whole_limit_s"`
	OneLimit     float64 `json:"one_limit_s"`

	Known

	diary  *diary
	copied *os.File
}

// Known is what executing has shown of benchmarks, by their ids.
type Known struct {
	// ExtraS is what comes with each turn, in seconds.
	ExtraS map[string]float64 `json:"extra_s"`
	// Whole tells whether a benchmark that breaks down alone does not where the whole that it is a part of is executed.
	Whole map[string]bool `json:"whole"`
}

// Module is a folder with a go.mod, and the variables that its go commands need.
type Module struct {
	Dir string            `json:"dir"`
	Env map[string]string `json:"env"`
}

func main() {
	// The steps die with the thread that started them: it must live as long as the process.
	runtime.LockOSThread()
	if len(os.Args) != 2 {
		fail("usage: go_driver PLAN.json")
	}
	plan := readPlan(os.Args[1])
	adoptOrphans()
	if plan.Task != "build" {
		fixProcessors()
	}
	tasks := map[string]func(*Plan) error{"build": build, "discover": discover, "execute": execute}
	task, known := tasks[plan.Task]
	if !known {
		fail(fmt.Sprintf("unknown task %q", plan.Task))
	}
	if err := task(plan); err != nil {
		fail(err.Error())
	}
}

func readPlan(path string) *Plan {
	plan := &Plan{}
	if err := readJSON(path, plan); err != nil {
		fail(err.Error())
	}
	return plan
}

func fail(message string) {
	fmt.Fprintln(os.Stderr, message)
	os.Exit(1)
}

// fixProcessors makes the number of processors the same for every process that is started from here: one,
// unless the user asks for more. On several at once goroutines lose calls, and with them what they owe.
func fixProcessors() {
	if os.Getenv("GOMAXPROCS") == "" {
		os.Setenv("GOMAXPROCS", "1")
		stayOnOneProcessor()
	}
}

func readJSON(path string, into any) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(text, into); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return nil
}

// writeJSON replaces a file as a whole, so that no reader ever meets half of it.
func writeJSON(path string, content any) error {
	text, err := json.Marshal(content)
	if err != nil {
		return err
	}
	if err := os.WriteFile(path+".new", text, 0o644); err != nil {
		return err
	}
	return os.Rename(path+".new", path)
}

// appendJSON appends one record to the results, in one write.
func appendJSON(path string, record any) error {
	text, err := json.Marshal(record)
	if err != nil {
		return err
	}
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o644)
	if err != nil {
		return err
	}
	defer file.Close()
	_, err = file.Write(append(text, '\n'))
	return err
}

func (plan *Plan) listing() string { return filepath.Join(plan.Binaries, "packages.json") }

func (plan *Plan) behind() string { return filepath.Join(plan.Binaries, "behind.json") }
