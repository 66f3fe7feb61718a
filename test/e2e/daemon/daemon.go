// Package daemon runs shikirid as an operator would, and asks it what it knows.
package daemon

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"regexp"
	"strconv"
	"strings"
	"time"

	"shikiri.dev/e2e/oracle"
	"shikiri.dev/e2e/proc"
)

// Spec is how to start it. Ports stay the same over restarts, since the scheduler knows them.
type Spec struct {
	Binary     string
	Folder     string
	Kubeconfig string
	Documents  string   // path, for --apply
	Policy     string   // path; empty: the one that is built in
	Args       []string // beside those
	Failpoint  string   // "<point>[:<n>]": dies at the n-th passing of that point
}

// Daemon is one shikirid, running or not.
type Daemon struct {
	Spec
	Extender, Admin string // URLs

	ports   []string
	process *proc.Process
}

const (
	startPatience = 30 * time.Second
	stopPatience  = 15 * time.Second
	pollPause     = 10 * time.Millisecond
)

// New picks the ports and starts nothing.
func New(spec Spec) (*Daemon, error) {
	ports, err := proc.FreePorts(2)
	if err != nil {
		return nil, err
	}
	scheme := "http://"
	for _, arg := range spec.Args {
		if strings.HasPrefix(arg, "--tls-cert") {
			scheme = "https://"
		}
	}
	return &Daemon{Spec: spec, ports: ports, Extender: scheme + "127.0.0.1:" + ports[0], Admin: "http://127.0.0.1:" + ports[1]}, nil
}

// Start returns when it has said that it serves and /readyz agrees.
func (d *Daemon) Start() error {
	if err := d.Launch(); err != nil {
		return err
	}
	return d.AwaitReady()
}

// Launch starts it and doesn't wait.
func (d *Daemon) Launch() (err error) {
	argv := []string{d.Binary, "--kubeconfig", d.Kubeconfig, "--ledger", d.Folder + "/ledger.db", "--auth", "none",
		"--listen", "127.0.0.1:" + d.ports[0], "--admin-listen", "127.0.0.1:" + d.ports[1],
		"--apply", d.Documents, "--log-format", "json"}
	if d.Policy != "" {
		argv = append(argv, "--policy", d.Policy)
	}
	var environment []string
	if d.Failpoint != "" {
		environment = append(environment, "SHIKIRI_FAILPOINT="+d.Failpoint)
	}
	d.process, err = proc.Start(proc.Spec{Name: "shikirid", Folder: d.Folder, Argv: append(argv, d.Args...), Env: environment})
	return err
}

var readyLine = regexp.MustCompile(`^ready extender=(https?://\S+) admin=(https?://\S+)\n$`)

// AwaitReady returns when the ready line is out and /readyz answers 200.
func (d *Daemon) AwaitReady() error {
	for end := time.Now().Add(startPatience); time.Now().Before(end); time.Sleep(pollPause) {
		if !d.process.Alive() {
			return fmt.Errorf("shikirid ended (%s):\n%s", d.process.State(), d.LogTail())
		}
		line, err := os.ReadFile(d.process.Out)
		if err == nil && readyLine.Match(line) && d.Ready() {
			return nil
		}
	}
	return fmt.Errorf("shikirid isn't ready:\n%s", d.LogTail())
}

// Ready is what /readyz says now.
func (d *Daemon) Ready() bool {
	response, err := http.Get(d.Admin + "/readyz")
	if err != nil {
		return false
	}
	response.Body.Close()
	return response.StatusCode == http.StatusOK
}

// Alive says whether the process runs.
func (d *Daemon) Alive() bool { return d.process != nil && d.process.Alive() }

// Died is closed when the process is gone.
func (d *Daemon) Died() <-chan struct{} { return d.process.Ended() }

// Kill ends it without a word.
func (d *Daemon) Kill() {
	if d.process != nil {
		d.process.Kill()
	}
}

// Stop ends it in order; an error when it didn't go cleanly and in time.
func (d *Daemon) Stop() error {
	if !d.Alive() {
		return nil
	}
	if !d.process.Stop(stopPatience) {
		return fmt.Errorf("shikirid didn't stop in %s", stopPatience)
	}
	if code := d.process.State().ExitCode(); code != 0 {
		return fmt.Errorf("shikirid exited with %d:\n%s", code, d.LogTail())
	}
	return nil
}

// Signal sends it a signal, such as SIGHUP.
func (d *Daemon) Signal(signal os.Signal) { d.process.Signal(signal) }

const tailBytes = 4000

// LogTail is the end of what it logged.
func (d *Daemon) LogTail() string {
	text, _ := os.ReadFile(d.process.Log)
	return string(text[max(0, len(text)-tailBytes):])
}

const api = "/apis/shikiri.dev/v1"

// Get reads from the admin API.
func (d *Daemon) Get(path string, into any) error { return d.ask(http.MethodGet, path, "", into) }

// Apply posts documents as `shikirictl apply` does.
func (d *Daemon) Apply(documents string) error {
	return d.ask(http.MethodPost, "/apply", documents, nil)
}

// DryRun asks where a workload would go.
func (d *Daemon) DryRun(object, into any) error {
	text, err := json.Marshal(object)
	if err != nil {
		return err
	}
	return d.ask(http.MethodPost, "/dry-runs", string(text), into)
}

func (d *Daemon) ask(method, path, body string, into any) error {
	request, err := http.NewRequest(method, d.Admin+api+path, strings.NewReader(body))
	if err != nil {
		return err
	}
	request.Header.Set("Content-Type", "application/yaml")
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		return err
	}
	if response.StatusCode >= 300 {
		return fmt.Errorf("%s %s: %s: %s", method, path, response.Status, text)
	}
	if into == nil {
		return nil
	}
	return json.Unmarshal(text, into)
}

// Allocations reads all pages of the ledger's live rows.
func (d *Daemon) Allocations() ([]oracle.Row, error) {
	var all []oracle.Row
	next := ""
	for {
		var page struct {
			Metadata struct{ Continue string }
			Items    []oracle.Row
		}
		if err := d.Get("/allocations?limit=500"+next, &page); err != nil {
			return nil, err
		}
		all = append(all, page.Items...)
		if page.Metadata.Continue == "" {
			return all, nil
		}
		next = "&continue=" + url.QueryEscape(page.Metadata.Continue)
	}
}

// Metric is the sum of a metric's samples whose labels contain that text, 0 when there are none.
func (d *Daemon) Metric(name, labels string) (float64, error) {
	response, err := http.Get(d.Admin + "/metrics")
	if err != nil {
		return 0, err
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		return 0, err
	}
	sum := 0.0
	for _, sample := range regexp.MustCompile(`(?m)^`+name+`(\{[^}]*\})? (\S+)$`).FindAllStringSubmatch(string(text), -1) {
		if !strings.Contains(sample[1], labels) {
			continue
		}
		value, err := strconv.ParseFloat(sample[2], 64)
		if err != nil {
			return 0, err
		}
		sum += value
	}
	return sum, nil
}
