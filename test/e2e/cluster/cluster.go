// Package cluster runs a Kubernetes control plane on loopback: etcd, kube-apiserver and as many
// kube-schedulers as a test wants, each a process that the test may kill and start again.
package cluster

import (
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"shikiri.dev/e2e/kube"
	"shikiri.dev/e2e/proc"
)

// ControlPlane is etcd and an API server with their data in a folder.
type ControlPlane struct {
	Binary string // of the command controlplane
	Folder string
	Server string
	CA     *Authority
	Admin  *kube.Client

	AdminToken     string
	SchedulerToken string // of user system:kube-scheduler

	etcd, peer string
	port       string
	database   *proc.Process
	apiserver  *proc.Process
}

const (
	startPatience = 90 * time.Second
	stopPatience  = 20 * time.Second
	pollPause     = 50 * time.Millisecond
)

// Start returns when the API server is ready. What it started dies with the test at the latest.
func Start(binary, folder string) (*ControlPlane, error) {
	ports, err := proc.FreePorts(3)
	if err != nil {
		return nil, err
	}
	c := &ControlPlane{Binary: binary, Folder: folder, AdminToken: rand.Text(), SchedulerToken: rand.Text(),
		etcd: "http://127.0.0.1:" + ports[0], peer: "http://127.0.0.1:" + ports[1],
		Server: "https://127.0.0.1:" + ports[2], port: ports[2]}
	if err := c.writeSecrets(); err != nil {
		return nil, err
	}
	c.Admin = kube.New(c.Server, c.CA.PEM, c.AdminToken)
	if err := c.startEtcd(); err != nil {
		return nil, err
	}
	return c, c.StartAPIServer()
}

func (c *ControlPlane) path(name string) string { return filepath.Join(c.Folder, name) }

func (c *ControlPlane) writeSecrets() (err error) {
	if c.CA, err = NewAuthority("e2e"); err != nil {
		return err
	}
	serving, err := c.CA.Serving("kube-apiserver")
	if err != nil {
		return err
	}
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return err
	}
	signing, err := encodeKey(key)
	if err != nil {
		return err
	}
	users := fmt.Sprintf("%s,admin,admin,system:masters\n%s,system:kube-scheduler,scheduler\n", c.AdminToken, c.SchedulerToken)
	return errors.Join(
		serving.Write(c.path("apiserver.crt"), c.path("apiserver.key")),
		os.WriteFile(c.path("ca.crt"), c.CA.PEM, 0o600),
		os.WriteFile(c.path("accounts.key"), signing, 0o600),
		os.WriteFile(c.path("users.csv"), []byte(users), 0o600))
}

func (c *ControlPlane) startEtcd() (err error) {
	c.database, err = proc.Start(proc.Spec{Name: "etcd", Folder: c.Folder, Argv: []string{c.Binary, "etcd",
		"--name=e2e", "--data-dir=" + c.path("etcd"),
		"--listen-client-urls=" + c.etcd, "--advertise-client-urls=" + c.etcd,
		"--listen-peer-urls=" + c.peer, "--initial-advertise-peer-urls=" + c.peer, "--initial-cluster=e2e=" + c.peer,
		"--unsafe-no-fsync", "--log-level=warn"}})
	if err != nil {
		return err
	}
	return awaitOK(c.database, c.etcd+"/health")
}

// StartAPIServer returns when it is ready, its default roles included.
func (c *ControlPlane) StartAPIServer() (err error) {
	c.apiserver, err = proc.Start(proc.Spec{Name: "apiserver", Folder: c.Folder, Argv: []string{c.Binary, "apiserver",
		"--etcd-servers=" + c.etcd, "--secure-port=" + c.port,
		"--bind-address=127.0.0.1", "--advertise-address=127.0.0.1", "--endpoint-reconciler-type=none",
		"--tls-cert-file=" + c.path("apiserver.crt"), "--tls-private-key-file=" + c.path("apiserver.key"),
		"--client-ca-file=" + c.path("ca.crt"), "--token-auth-file=" + c.path("users.csv"),
		"--service-cluster-ip-range=10.0.0.0/24", "--service-account-issuer=https://kubernetes.default.svc",
		"--service-account-signing-key-file=" + c.path("accounts.key"), "--service-account-key-file=" + c.path("accounts.key"),
		"--authorization-mode=RBAC", "--profiling=false",
		// No controller makes default service accounts, or takes the not-ready taint off new nodes.
		"--disable-admission-plugins=ServiceAccount,TaintNodesByCondition"}})
	if err != nil {
		return err
	}
	return awaitOK(c.apiserver, c.Server+"/readyz")
}

// KillAPIServer ends it without a word.
func (c *ControlPlane) KillAPIServer() { c.apiserver.Kill() }

// Stop ends what Start started.
func (c *ControlPlane) Stop() {
	for _, p := range []*proc.Process{c.apiserver, c.database} {
		if p != nil {
			p.Stop(stopPatience)
		}
	}
}

// awaitOK polls until the URL answers 200.
func awaitOK(p *proc.Process, url string) error {
	ctx, cancel := context.WithTimeout(context.Background(), startPatience)
	defer cancel()
	transport := &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}}
	defer transport.CloseIdleConnections()
	client := http.Client{Transport: transport, Timeout: 5 * time.Second}
	for {
		if response, err := client.Get(url); err == nil {
			response.Body.Close()
			if response.StatusCode == http.StatusOK {
				return nil
			}
		}
		select {
		case <-time.After(pollPause):
		case <-p.Ended():
			return fmt.Errorf("%s ended (%s), see %s", p.Name, p.State(), p.Log)
		case <-ctx.Done():
			return fmt.Errorf("%s isn't ready, see %s", p.Name, p.Log)
		}
	}
}

// Documents reads YAML as users write it.
func (c *ControlPlane) Documents(yaml []byte) ([]map[string]any, error) {
	command := exec.Command(c.Binary, "json")
	command.Stdin = bytes.NewReader(yaml)
	var complaint bytes.Buffer
	command.Stderr = &complaint
	text, err := command.Output()
	if err != nil {
		return nil, fmt.Errorf("%w: %s", err, complaint.String())
	}
	var documents []map[string]any
	return documents, json.Unmarshal(text, &documents)
}

// Compact makes etcd forget all revisions but the newest, so that old resourceVersions are gone.
func (c *ControlPlane) Compact() error {
	var status struct {
		Header struct {
			Revision string `json:"revision"`
		} `json:"header"`
	}
	// A range that is empty: its header tells the revision.
	none := base64.StdEncoding.EncodeToString([]byte("nothing"))
	if err := c.askEtcd("/v3/kv/range", fmt.Sprintf(`{"key":%q}`, none), &status); err != nil {
		return err
	}
	return c.askEtcd("/v3/kv/compaction", fmt.Sprintf(`{"revision":%q,"physical":true}`, status.Header.Revision), &status)
}

func (c *ControlPlane) askEtcd(path, body string, into any) error {
	response, err := http.Post(c.etcd+path, "application/json", strings.NewReader(body))
	if err != nil {
		return err
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return fmt.Errorf("etcd: %s", response.Status)
	}
	return json.NewDecoder(response.Body).Decode(into)
}
