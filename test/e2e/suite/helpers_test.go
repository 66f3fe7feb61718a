package suite

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"shikiri.dev/e2e/bed"
	"shikiri.dev/e2e/gpu"
	"shikiri.dev/e2e/kube"
	"shikiri.dev/e2e/kubelet"
	"shikiri.dev/e2e/oracle"
)

func node(name string, shape gpu.Shape) kubelet.Node { return kubelet.Node{Name: name, Shape: shape} }

// nodes makes n of a kind, named prefix-0 and so on.
func nodes(prefix string, n int, shape gpu.Shape) []kubelet.Node {
	all := make([]kubelet.Node, 0, n)
	for i := range n {
		all = append(all, node(fmt.Sprintf("%s-%d", prefix, i), shape))
	}
	return all
}

// strangers are two tenants that don't trust each other, without quotas.
func strangers() []bed.Tenant { return []bed.Tenant{{Name: "red"}, {Name: "blue"}} }

// rowOf is the pod's row in the ledger; nil when it has none.
func rowOf(b *bed.Bed, pod *kube.Pod) *oracle.Row {
	rows, err := b.Daemon.Allocations()
	b.Must(err)
	for i := range rows {
		if rows[i].UID == pod.Metadata.UID {
			return &rows[i]
		}
	}
	return nil
}

// asked counts the daemon's calls to the API server of that method with that part in their paths.
func asked(b *bed.Bed, method, part string) int {
	n := 0
	for _, call := range b.Proxy.Calls() {
		if strings.HasPrefix(call, method+" ") && strings.Contains(call, part) {
			n++
		}
	}
	return n
}

const quiet = 3 * time.Second

// filtersWithin counts the filter calls of a while.
func filtersWithin(t *testing.T, b *bed.Bed, while time.Duration) float64 {
	t.Helper()
	count := func() float64 {
		n, err := b.Daemon.Metric("shikiri_extender_requests_total", `verb="filter"`)
		b.Must(err)
		return n
	}
	before := count()
	time.Sleep(while)
	return count() - before
}
