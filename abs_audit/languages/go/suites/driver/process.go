package main

import (
	"errors"
	"io"
	"os"
	"os/exec"
	"sync"
	"syscall"
	"time"
)

const (
	drain = time.Second
	// look is how often it is looked whether a process has said something.
	look = 100 * time.Millisecond
)

// Outcome is what became of a process.
type Outcome struct {
	Output   string `json:"output"`
	Log      string `json:"log"`
	Exit     int    `json:"exit"`
	Signal   string `json:"signal"`
	TimedOut bool   `json:"timed_out"`
	// Silent tells that it was ended because it had said nothing for too long.
	Silent bool    `json:"silent"`
	WallS  float64 `json:"wall_s"`
	// ProcessorS is the processor time of the process.
	ProcessorS float64 `json:"processor_s"`
}

// Task is a process to start.
type Task struct {
	argv   []string
	dir    string
	env    []string
	limitS float64
	// silentS is how long it may print nothing; 0: as long as it takes.
	silentS float64
	// keep is how many bytes of each stream are kept, whatever they say.
	keep int
	// copied gets the beginning of the output at once, so that it outlives this process.
	copied *os.File
}

// run executes a process in a group of its own and kills what it leaves behind.
func run(task Task) Outcome {
	command := exec.Command(task.argv[0], task.argv[1:]...)
	command.Dir, command.Env = task.dir, task.env
	command.SysProcAttr = ownGroup()
	output, log := &capture{limit: task.keep, copied: task.copied}, &capture{limit: stepLimit}
	streams, err := attach(command, output, log)
	if err != nil {
		return Outcome{Log: err.Error(), Exit: -1}
	}
	started := time.Now()
	if err := command.Start(); err != nil {
		streams.abandon()
		return Outcome{Log: err.Error(), Exit: -1}
	}
	streams.started()
	freeMonitor(command.Process.Pid)
	ended := make(chan error, 1)
	go func() { ended <- command.Wait() }()
	var outcome Outcome
	// Looking would disturb what is measured: that may be silent.
	var looks <-chan time.Time
	if task.silentS > 0 {
		ticker := time.NewTicker(look)
		defer ticker.Stop()
		looks = ticker.C
	}
	limit := time.After(duration(task.limitS))
	for waiting := true; waiting; {
		select {
		case err = <-ended:
			waiting = false
			continue
		case <-looks:
			if outcome.Silent = output.silence(started) > duration(task.silentS); !outcome.Silent {
				continue
			}
		case <-limit:
		}
		outcome.TimedOut, waiting = true, false
		killGroup(command.Process.Pid)
		err = <-ended
	}
	outcome.WallS = time.Since(started).Seconds()
	outcome.ProcessorS = (command.ProcessState.UserTime() + command.ProcessState.SystemTime()).Seconds()
	killGroup(command.Process.Pid)
	killOrphans()
	streams.finish()
	outcome.Output, outcome.Log = output.String(), log.String()
	outcome.Exit, outcome.Signal = ending(err)
	return outcome
}

func duration(seconds float64) time.Duration { return time.Duration(seconds * float64(time.Second)) }

func ending(err error) (int, string) {
	var failed *exec.ExitError
	if err == nil {
		return 0, ""
	}
	if !errors.As(err, &failed) {
		return -1, ""
	}
	if status, ok := failed.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		return -1, status.Signal().String()
	}
	return failed.ExitCode(), ""
}

// streams are the pipes of a process. They are ours, not os/exec's: waiting for the process must not
// mean waiting for whatever else still holds its output open.
type streams struct {
	readers []*os.File
	writers []*os.File
	done    sync.WaitGroup
}

func attach(command *exec.Cmd, sinks ...io.Writer) (*streams, error) {
	pipes := new(streams)
	for _, sink := range sinks {
		reader, writer, err := os.Pipe()
		if err != nil {
			pipes.abandon()
			return nil, err
		}
		widen(writer)
		pipes.readers, pipes.writers = append(pipes.readers, reader), append(pipes.writers, writer)
		pipes.done.Add(1)
		go func(sink io.Writer) {
			defer pipes.done.Done()
			_, _ = io.Copy(sink, reader)
		}(sink)
	}
	command.Stdout, command.Stderr = pipes.writers[0], pipes.writers[1]
	return pipes, nil
}

func (pipes *streams) started() {
	for _, writer := range pipes.writers {
		writer.Close()
	}
}

func (pipes *streams) abandon() {
	pipes.started()
	pipes.finish()
}

// finish reads what is left, but waits for no one.
func (pipes *streams) finish() {
	for _, reader := range pipes.readers {
		_ = reader.SetReadDeadline(time.Now().Add(drain))
	}
	pipes.done.Wait()
	for _, reader := range pipes.readers {
		reader.Close()
	}
}
