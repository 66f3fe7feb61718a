// Package bed makes one cluster for one test: nodes with their fake kubelets, shikirid behind a proxy that can
// do what networks do, a real kube-scheduler that asks it, and judges that watch all the while. When the
// test ends, the judges speak.
package bed

import (
	"context"
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"shikiri.dev/e2e/cluster"
	"shikiri.dev/e2e/daemon"
	"shikiri.dev/e2e/kube"
	"shikiri.dev/e2e/kubelet"
	"shikiri.dev/e2e/oracle"
	"shikiri.dev/e2e/proxy"
)

// SchedulerName is what pods ask for to be scheduled by way of shikiri.
const SchedulerName = "shikiri-scheduler"

// Setup is what a test wants to be different.
type Setup struct {
	Nodes   []kubelet.Node
	Tenants []Tenant
	Plugin  kubelet.Policy            // of the device plugin; Distributed when empty
	Policy  map[string]map[string]any // sections of the decision policy, and the keys to set there
	Args    []string                  // for shikirid
	Stock   bool                      // no shikirid, and a scheduler that asks nobody
	Idle    bool                      // nothing is started: the test will do it
	Refuses bool                      // kubelets may have to refuse pods
}

// Bed is a test's cluster.
type Bed struct {
	*plane
	T         *testing.T
	Setup     Setup
	Folder    string
	Fleet     *kubelet.Fleet
	Proxy     *proxy.Proxy // between shikirid and the API server
	Daemon    *daemon.Daemon
	Scheduler *cluster.Scheduler
	Trust     *oracle.Trust
	Quota     *oracle.Quota

	schedulers []*cluster.Scheduler
	stopFleet  context.CancelFunc
	oldToken   string
	mu         sync.Mutex
	tenants    map[string]Tenant
}

// Make builds it and has it taken down at the test's end.
func Make(t *testing.T, setup Setup) *Bed {
	t.Helper()
	p, err := shared()
	if err != nil {
		t.Fatalf("control plane: %v", err)
	}
	b := &Bed{plane: p, T: t, Setup: setup, tenants: map[string]Tenant{},
		Folder: filepath.Join(os.Getenv(envFolder), strings.ReplaceAll(t.Name(), "/", "-"))}
	for _, tenant := range setup.Tenants {
		b.tenants[tenant.Name] = tenant
	}
	b.Must(os.RemoveAll(b.Folder)) // a ledger of an earlier run
	b.Must(os.MkdirAll(b.Folder, 0o700))
	b.makeNamespaces()
	b.startProxy()
	b.prepareDaemon()
	b.startFleet()
	t.Cleanup(b.finish)
	b.AddNodes(setup.Nodes...)
	switch {
	case setup.Stock:
		b.Scheduler = b.StockScheduler("scheduler", SchedulerName)
	case !setup.Idle:
		b.Must(b.Daemon.Start())
		b.Scheduler = b.StartScheduler("scheduler", "second", SchedulerName)
	}
	return b
}

// Must fails the test for an error.
func (b *Bed) Must(err error) {
	b.T.Helper()
	if err != nil {
		b.T.Fatal(err)
	}
}

// Run is a subtest on this bed; what fails meanwhile is the subtest.
func (b *Bed) Run(name string, f func(t *testing.T)) bool {
	parent := b.T
	defer func() { b.T = parent }()
	return parent.Run(name, func(t *testing.T) {
		b.T = t
		f(t)
	})
}

func (b *Bed) makeNamespaces() {
	for name := range b.tenants {
		b.MakeNamespace(name)
	}
}

// MakeNamespace makes one, or finds it there.
func (b *Bed) MakeNamespace(name string) {
	err := b.Admin.Create("/api/v1/namespaces", map[string]any{"apiVersion": "v1", "kind": "Namespace", "metadata": kube.Meta{Name: name}}, nil)
	if !kube.Refused(err, http.StatusConflict) {
		b.Must(err)
	}
}

func (b *Bed) startFleet() {
	policy := b.Setup.Plugin
	if policy == "" {
		policy = kubelet.Distributed
	}
	b.Trust = oracle.NewTrust(func(namespace string) oracle.Party { return b.tenant(namespace).party() })
	b.Quota = oracle.NewQuota(func(namespace string) string { return namespace },
		func(tenant string) oracle.Ceilings { return b.tenant(tenant).ceilings() })
	ctx, stop := context.WithCancel(context.Background())
	b.stopFleet = stop
	b.Fleet = kubelet.Start(ctx, b.Admin, policy, seed, b.Trust, b.Quota)
}

// seed is the same in every run, so that the device plugin's chance is too.
const seed = 1

const callsAtOnce = 8

// AddNodes puts nodes into the cluster.
func (b *Bed) AddNodes(nodes ...kubelet.Node) {
	b.T.Helper()
	errs := make([]error, len(nodes))
	each(len(nodes), callsAtOnce, func(i int) { errs[i] = b.Fleet.Add(nodes[i]) })
	b.Must(errors.Join(errs...))
}

// each calls f for 0 to n-1, some of them at a time.
func each(n, atOnce int, f func(i int)) {
	var group sync.WaitGroup
	turns := make(chan struct{}, atOnce)
	for i := range n {
		turns <- struct{}{}
		group.Go(func() {
			defer func() { <-turns }()
			f(i)
		})
	}
	group.Wait()
}

// tenant of that name, which is its namespace's too; a namespace of nobody is a party of its own.
func (b *Bed) tenant(name string) Tenant {
	b.mu.Lock()
	defer b.mu.Unlock()
	if tenant, known := b.tenants[name]; known {
		return tenant
	}
	return Tenant{Name: name}
}

// Change gives a tenant another quota, for the judges first: it is to be raised. One that is lowered takes
// nothing away, and the judges look at newcomers only.
func (b *Bed) Change(tenant Tenant) {
	b.T.Helper()
	b.remember(tenant)
	b.Must(b.Daemon.Apply(Documents([]Tenant{tenant})))
}

// Rewrite changes the file that shikirid reads when it starts.
func (b *Bed) Rewrite(tenants ...Tenant) {
	b.T.Helper()
	for _, tenant := range tenants {
		b.remember(tenant)
	}
	b.Must(os.WriteFile(b.Daemon.Documents, []byte(Documents(tenants)), 0o600))
}

func (b *Bed) remember(tenant Tenant) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.tenants[tenant.Name] = tenant
}

func (b *Bed) startProxy() {
	pair, err := b.CA.Serving("proxy")
	b.Must(err)
	certificate, err := pair.TLS()
	b.Must(err)
	lines, err := os.Create(filepath.Join(b.Folder, "proxy.log"))
	b.Must(err)
	b.T.Cleanup(func() { lines.Close() })
	b.Proxy, err = proxy.Start(b.Server, b.CA.PEM, certificate, lines)
	b.Must(err)
}

// TokenFile and CAFile are what shikirid's kubeconfig refers to.
func (b *Bed) TokenFile() string { return filepath.Join(b.Folder, "token") }
func (b *Bed) CAFile() string    { return filepath.Join(b.Folder, "api-ca.crt") }

// prepareDaemon lets shikirid be the service account of the shipped manifests, with its rights and no
// others.
func (b *Bed) prepareDaemon() {
	token, err := b.token(daemonAccount)
	b.Must(err)
	b.Must(os.WriteFile(b.TokenFile(), []byte(token), 0o600))
	b.Must(os.WriteFile(b.CAFile(), b.CA.PEM, 0o600))
	kubeconfig := filepath.Join(b.Folder, "shikirid.kubeconfig")
	b.Must(cluster.Kubeconfig{Server: b.Proxy.URL(), CAFile: b.CAFile(), TokenFile: b.TokenFile()}.Write(kubeconfig))
	documents := filepath.Join(b.Folder, "tenants.yaml")
	b.Must(os.WriteFile(documents, []byte(Documents(b.Setup.Tenants)), 0o600))
	b.Daemon, err = daemon.New(daemon.Spec{Binary: program("shikirid"), Folder: b.Folder, Kubeconfig: kubeconfig,
		Documents: documents, Policy: b.writePolicy(), Args: b.Setup.Args})
	b.Must(err)
}

// program is the path of one of ours.
func program(name string) string {
	return filepath.Join(os.Getenv(envBuild), "cmd", name, name)
}

// finish judges, and takes everything down.
func (b *Bed) finish() {
	if !b.T.Failed() && !b.Setup.Stock {
		b.Judge()
	}
	for _, scheduler := range b.schedulers {
		scheduler.Stop()
	}
	b.clear()
	if b.Daemon.Alive() {
		if !b.T.Failed() {
			// What was deleted by force is kept for a while.
			b.agree("the ledger is empty when all pods are gone", 3*Patience, func() []kube.Pod { return nil })
		}
		if err := b.Daemon.Stop(); err != nil {
			b.T.Error(err)
		}
	}
	for _, name := range b.Fleet.Names() {
		if err := b.Fleet.Remove(name); err != nil {
			b.T.Error(err)
		}
	}
	b.stopFleet()
	b.Proxy.Stop()
	if b.T.Failed() {
		b.T.Logf("logs: %s and %s", b.Folder, b.plane.Folder)
	}
}

// clear ends all pods. Those on nodes of nobody have no kubelet to say that they have ended.
func (b *Bed) clear() {
	ours := map[string]bool{"": true}
	for _, name := range b.Fleet.Names() {
		ours[name] = true
	}
	pods := b.Pods()
	each(len(pods), callsAtOnce, func(i int) {
		if ours[pods[i].Spec.NodeName] {
			_ = b.Admin.Delete(pathOf(&pods[i]))
			return
		}
		_ = b.Admin.DeleteNow(pathOf(&pods[i]), pods[i].Metadata.UID)
	})
	Await(b.T, "all pods are gone", 2*Patience, func() bool { return len(b.Pods()) == 0 })
}
