// Package proc starts programs that can't outlive the test, and stops them by their process ids.
package proc

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"sync"
	"syscall"
	"time"
)

// Process is a child; its output goes to files.
type Process struct {
	Name string
	Log  string // path of what it wrote to stderr
	Out  string // and to stdout

	command *exec.Cmd
	ended   chan struct{}
}

// Spec says what to start. Env is added to the test's own environment.
type Spec struct {
	Name   string
	Argv   []string
	Env    []string
	Folder string // for the files of its output, which are appended to
}

var nursery = struct {
	once sync.Once
	work chan func()
}{work: make(chan func())}

// fromNursery runs f on a thread that lives as long as the test: a parent-death signal is sent when
// the thread that forked ends, not only when its process does.
func fromNursery(f func()) {
	nursery.once.Do(func() {
		go func() {
			runtime.LockOSThread()
			for f := range nursery.work {
				f()
			}
		}()
	})
	done := make(chan struct{})
	nursery.work <- func() { f(); close(done) }
	<-done
}

// Start starts the program in a process group of its own, to be killed with the test.
func Start(spec Spec) (*Process, error) {
	p := &Process{Name: spec.Name, ended: make(chan struct{}),
		Log: fmt.Sprintf("%s/%s.log", spec.Folder, spec.Name), Out: fmt.Sprintf("%s/%s.out", spec.Folder, spec.Name)}
	log, logErr := os.OpenFile(p.Log, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	out, outErr := os.OpenFile(p.Out, os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o600)
	if err := errors.Join(logErr, outErr); err != nil {
		return nil, err
	}
	defer log.Close()
	defer out.Close()

	p.command = exec.Command(spec.Argv[0], spec.Argv[1:]...)
	p.command.Env = append(os.Environ(), spec.Env...)
	p.command.Stderr, p.command.Stdout = log, out
	p.command.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL, Setpgid: true}
	var err error
	fromNursery(func() { err = p.command.Start() })
	if err != nil {
		return nil, err
	}
	go func() {
		_ = p.command.Wait()
		close(p.ended)
	}()
	return p, nil
}

// Pid is the process id, for a test that wants to look at it.
func (p *Process) Pid() int { return p.command.Process.Pid }

// Alive says whether it still runs.
func (p *Process) Alive() bool {
	select {
	case <-p.ended:
		return false
	default:
		return true
	}
}

// Ended is closed once the process is gone.
func (p *Process) Ended() <-chan struct{} { return p.ended }

// State says how it ended. Only for a process that has.
func (p *Process) State() *os.ProcessState { return p.command.ProcessState }

// Signal sends a signal; a process that is gone gets none.
func (p *Process) Signal(signal os.Signal) { _ = p.command.Process.Signal(signal) }

// Kill ends it at once.
func (p *Process) Kill() {
	p.Signal(syscall.SIGKILL)
	<-p.ended
}

// Stop asks it to end, and kills it when it takes longer than patience. True when it went by itself.
func (p *Process) Stop(patience time.Duration) bool {
	p.Signal(syscall.SIGTERM)
	select {
	case <-p.ended:
		return true
	case <-time.After(patience):
		p.Kill()
		return false
	}
}
