package bed

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"shikiri.dev/e2e/cluster"
)

// Ctl runs shikirictl and returns what it printed.
func Ctl(t testing.TB, args ...string) []byte {
	t.Helper()
	text, err := exec.Command(program("shikirictl"), args...).Output()
	if failure, exited := err.(*exec.ExitError); exited {
		t.Fatalf("shikirictl %v: %v: %s", args, err, failure.Stderr)
	}
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// Ctl runs it against the daemon.
func (b *Bed) Ctl(args ...string) []byte {
	b.T.Helper()
	return Ctl(b.T, append([]string{"--server", b.Daemon.Admin}, args...)...)
}

// Finding is one of `shikirictl doctor`.
type Finding struct{ ID, Severity, What, Fix string }

// Doctor is what it finds in a cluster whose scheduler has that configuration.
func (b *Bed) Doctor(config map[string]any) []Finding {
	b.T.Helper()
	text, err := json.Marshal(config)
	b.Must(err)
	path := filepath.Join(b.Folder, "doctor.yaml")
	b.Must(os.WriteFile(path, text, 0o600))
	// Its exit status only says whether there are any.
	out, err := exec.Command(program("shikirictl"), "--server", b.Daemon.Admin, "doctor", "--scheduler-config", path, "-o", "json").Output()
	var answer struct{ Findings []Finding }
	if json.Unmarshal(out, &answer) != nil {
		b.T.Fatalf("doctor said %q (%v)", out, err)
	}
	return answer.Findings
}

// SchedulerConfig is what users copy: shikirictl's own, with the daemon's address in it.
func (b *Bed) SchedulerConfig(topology string, args ...string) map[string]any {
	b.T.Helper()
	args = append([]string{"scheduler-config", "--topology", topology, "--url-prefix", b.Daemon.Extender + "/scheduler/v1", "-o", "json"}, args...)
	var config map[string]any
	b.Must(json.Unmarshal(b.Ctl(args...), &config))
	return config
}

// StartScheduler runs a kube-scheduler with the generated configuration.
func (b *Bed) StartScheduler(name, topology, schedulerName string) *cluster.Scheduler {
	b.T.Helper()
	var args []string
	if topology == "second" {
		args = []string{"--scheduler-name", schedulerName}
	}
	return b.Schedule(name, b.SchedulerConfig(topology, args...))
}

// StockScheduler runs one that asks nobody.
func (b *Bed) StockScheduler(name, schedulerName string) *cluster.Scheduler {
	b.T.Helper()
	return b.Schedule(name, map[string]any{
		"apiVersion": "kubescheduler.config.k8s.io/v1", "kind": "KubeSchedulerConfiguration",
		"profiles": []any{map[string]any{"schedulerName": schedulerName}}})
}

// Schedule runs a kube-scheduler with that configuration and the rights of the shipped manifests.
func (b *Bed) Schedule(name string, config map[string]any) *cluster.Scheduler {
	b.T.Helper()
	token, err := b.token(schedulerAccount)
	b.Must(err)
	scheduler, err := b.ControlPlane.StartScheduler(name, config, token)
	b.Must(err)
	b.schedulers = append(b.schedulers, scheduler)
	return scheduler
}

// ShippedSetting is what deploy/manifests configures shikirid with.
func ShippedSetting(t testing.TB, key string) any {
	t.Helper()
	p, err := shared()
	if err != nil {
		t.Fatal(err)
	}
	for _, object := range p.Manifests {
		data, _ := object["data"].(map[string]any)
		text, _ := data["config.yaml"].(string)
		documents, err := p.Documents([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		if len(documents) == 1 && documents[0]["kind"] == "DaemonConfiguration" {
			return documents[0][key]
		}
	}
	t.Fatal("the manifests hold no DaemonConfiguration")
	return nil
}

// writePolicy changes keys of the shipped policy; "" when there is nothing to change.
func (b *Bed) writePolicy() string {
	if b.Setup.Policy == nil {
		return ""
	}
	shipped, err := os.ReadFile(filepath.Join(os.Getenv(envSource), "policies", "default.yaml"))
	b.Must(err)
	documents, err := b.Documents(shipped)
	b.Must(err)
	spec := documents[0]["spec"].(map[string]any)
	for section, keys := range b.Setup.Policy {
		for key, value := range keys {
			in, there := spec[section].(map[string]any)
			if !there {
				b.T.Fatal(fmt.Errorf("the policy has no section %s", section))
			}
			in[key] = value
		}
	}
	text, err := json.Marshal(documents[0])
	b.Must(err)
	path := filepath.Join(b.Folder, "policy.yaml")
	b.Must(os.WriteFile(path, text, 0o600))
	return path
}
