package proc

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"
)

const envParent = "E2E_PROC_PARENT"

// TestMain lets this program be the parent that dies.
func TestMain(m *testing.M) {
	if folder := os.Getenv(envParent); folder != "" {
		child, err := Start(Spec{Name: "child", Argv: []string{"sleep", "600"}, Folder: folder})
		fmt.Println(child.Pid(), err)
		select {}
	}
	os.Exit(m.Run())
}

func TestAChildDiesWithItsParent(t *testing.T) {
	parent := exec.Command(os.Args[0])
	parent.Env = append(os.Environ(), envParent+"="+t.TempDir())
	out, err := parent.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := parent.Start(); err != nil {
		t.Fatal(err)
	}
	var pid int
	if _, err := fmt.Fscan(out, &pid); err != nil {
		t.Fatal(err)
	}
	if !running(pid) {
		t.Fatal("the child never ran, so this shows nothing")
	}
	_ = parent.Process.Kill()
	_ = parent.Wait()
	for end := time.Now().Add(10 * time.Second); running(pid); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			_ = syscall.Kill(pid, syscall.SIGKILL)
			t.Fatal("the child lives on")
		}
	}
}

// running says whether the process is there and no zombie that waits to be reaped.
func running(pid int) bool {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	return err == nil && !strings.Contains(string(status), "State:\tZ")
}

func TestStopAsksBeforeItKills(t *testing.T) {
	for _, c := range []struct {
		script   string
		by       time.Duration
		willing  bool
		exitCode int
	}{
		{"trap 'exit 3' TERM; echo up; while :; do sleep 0.01; done", 10 * time.Second, true, 3},
		{"trap '' TERM; echo up; while :; do sleep 0.01; done", 100 * time.Millisecond, false, -1},
	} {
		p, err := Start(Spec{Name: "shell", Argv: []string{"sh", "-c", c.script}, Folder: t.TempDir()})
		if err != nil {
			t.Fatal(err)
		}
		for up := ""; up == ""; time.Sleep(time.Millisecond) {
			text, _ := os.ReadFile(p.Out)
			up = string(text)
		}
		if willing := p.Stop(c.by); willing != c.willing || p.Alive() || p.State().ExitCode() != c.exitCode {
			t.Errorf("%s: willing %v, %s", c.script, willing, p.State())
		}
	}
}
