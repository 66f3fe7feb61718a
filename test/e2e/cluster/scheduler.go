package cluster

import (
	"encoding/json"
	"os"

	"shikiri.dev/e2e/proc"
)

// Scheduler is one kube-scheduler with its configuration.
type Scheduler struct {
	Name string

	plane   *ControlPlane
	config  string
	process *proc.Process
	url     string
}

// StartScheduler runs kube-scheduler with that KubeSchedulerConfiguration as the user of the token. How to
// reach the API server is filled in, and leader election is off: a test that kills one has a second
// one's time otherwise.
func (c *ControlPlane) StartScheduler(name string, config map[string]any, token string) (*Scheduler, error) {
	kubeconfig := c.path(name + ".kubeconfig")
	if err := (Kubeconfig{Server: c.Server, CA: c.CA.PEM, Token: token}).Write(kubeconfig); err != nil {
		return nil, err
	}
	config["clientConnection"] = map[string]any{"kubeconfig": kubeconfig, "qps": 1000, "burst": 1000}
	config["leaderElection"] = map[string]any{"leaderElect": false}
	text, err := json.MarshalIndent(config, "", "  ")
	if err != nil {
		return nil, err
	}
	s := &Scheduler{Name: name, plane: c, config: c.path(name + ".yaml")}
	if err := os.WriteFile(s.config, text, 0o600); err != nil {
		return nil, err
	}
	return s, s.Start()
}

// Start runs it (again) and returns when it is ready.
func (s *Scheduler) Start() error {
	ports, err := proc.FreePorts(1)
	if err != nil {
		return err
	}
	s.url = "https://127.0.0.1:" + ports[0]
	s.process, err = proc.Start(proc.Spec{Name: s.Name, Folder: s.plane.Folder, Argv: []string{s.plane.Binary, "scheduler",
		"--config=" + s.config, "--bind-address=127.0.0.1", "--secure-port=" + ports[0],
		"--tls-cert-file=" + s.plane.path("apiserver.crt"), "--tls-private-key-file=" + s.plane.path("apiserver.key"),
		"--authentication-skip-lookup", "--authorization-always-allow-paths=/healthz,/livez,/readyz,/metrics"}})
	if err != nil {
		return err
	}
	return awaitOK(s.process, s.url+"/readyz")
}

// Kill ends it without a word.
func (s *Scheduler) Kill() { s.process.Kill() }

// Stop ends it in order.
func (s *Scheduler) Stop() { s.process.Stop(stopPatience) }
