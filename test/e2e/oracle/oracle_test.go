package oracle

import (
	"math/big"
	"testing"

	"shikiri.dev/e2e/gpu"
	"shikiri.dev/e2e/kube"
	"shikiri.dev/e2e/kubelet"
)

// A judge that can't find anybody guilty is worth nothing: each of these plants a breach, and its
// harmless neighbour.

func holding(uid, namespace, node string, devices ...gpu.Device) *kubelet.Holding {
	return &kubelet.Holding{UID: uid, Namespace: namespace, Name: uid, Node: node, Devices: devices}
}

func TestTrust(t *testing.T) {
	share := func(card, n int) gpu.Device {
		return gpu.Device{Resource: gpu.CardShared, Card: card, Instance: -1, Replica: n, Replicas: 4}
	}
	slice := func(card, n int) gpu.Device {
		return gpu.Device{Resource: gpu.Slice("1g.10gb"), Card: card, Instance: n, Profile: "1g.10gb", Replicas: 1}
	}
	walls := map[string]Wall{"red": WallMIG, "blue": WallMIG, "careful": WallCard, "alone": WallNode}
	for _, c := range []struct {
		name             string
		a, b             *kubelet.Holding
		guilty, returned bool
	}{
		{"two domains on one card", holding("1", "red", "n", share(0, 0)), holding("2", "blue", "n", share(0, 1)), true, false},
		{"one after the other", holding("1", "red", "n", share(0, 0)), holding("2", "blue", "n", share(0, 1)), false, true},
		{"on two cards", holding("1", "red", "n", share(0, 0)), holding("2", "blue", "n", share(1, 0)), false, false},
		{"on two nodes", holding("1", "red", "n", share(0, 0)), holding("2", "blue", "m", share(0, 0)), false, false},
		{"the same domain", holding("1", "red", "n", share(0, 0)), holding("2", "red", "n", share(0, 1)), false, false},
		{"slices of one card", holding("1", "red", "n", slice(0, 0)), holding("2", "blue", "n", slice(0, 1)), false, false},
		{"slices of one card, cards wanted", holding("1", "red", "n", slice(0, 0)), holding("2", "careful", "n", slice(0, 1)), true, false},
		{"resident wants cards", holding("1", "careful", "n", slice(0, 0)), holding("2", "red", "n", slice(0, 1)), true, false},
		{"a node wanted", holding("1", "alone", "n", slice(0, 0)), holding("2", "red", "n", slice(1, 1)), true, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			trust := NewTrust(func(namespace string) Party { return Party{namespace, walls[namespace]} })
			trust.Given(c.a)
			if c.returned {
				trust.Returned(c.a)
			}
			trust.Given(c.b)
			if found, given := trust.Violations(); (len(found) > 0) != c.guilty || given != 2 {
				t.Errorf("found %v in %d", found, given)
			}
		})
	}
}

func TestQuota(t *testing.T) {
	ceilings := Ceilings{Equivalents: big.NewRat(1, 2), gpu.CardShared: big.NewRat(3, 1)}
	quota := NewQuota(func(namespace string) string { return namespace }, func(string) Ceilings { return ceilings })
	for i, uid := range []string{"1", "2", "3"} {
		quota.Given(holding(uid, "red", "n", gpu.Device{Resource: gpu.CardShared, Replica: i, Replicas: 8}))
	}
	if found := quota.Violations(); len(found) != 0 {
		t.Fatalf("within both ceilings: %v", found)
	}
	quota.Returned(holding("3", "red", "n", gpu.Device{Resource: gpu.CardShared, Replicas: 8}))
	quota.Given(holding("4", "red", "n", gpu.Device{Resource: gpu.CardShared, Replicas: 4}))
	if found := quota.Violations(); len(found) != 0 {
		t.Fatalf("at both ceilings: %v", found)
	}
	quota.Given(holding("5", "red", "n", gpu.Device{Resource: gpu.CardShared, Replicas: 8}))
	if found := quota.Violations(); len(found) != 2 {
		t.Errorf("over both ceilings: %v", found)
	}
}

func TestCompare(t *testing.T) {
	pod := func(uid, node, phase string) kube.Pod {
		return kube.Pod{Metadata: kube.Meta{UID: uid, Name: uid, Namespace: "red"}, Status: kube.PodStatus{Phase: phase},
			Spec: kube.PodSpec{NodeName: node, Containers: []kube.Container{{Resources: kube.Resources{Limits: kube.Amounts{gpu.Card: "1"}}}}}}
	}
	row := func(uid, node, state string, n int) Row {
		return Row{UID: uid, Name: uid, Namespace: "red", Node: node, State: state, Resources: map[string]int{gpu.Card: n}}
	}
	for _, c := range []struct {
		name  string
		rows  []Row
		pods  []kube.Pod
		wrong int
	}{
		{"agreed", []Row{row("1", "n", "bound", 1)}, []kube.Pod{pod("1", "n", "Running"), pod("2", "n", "Failed"), pod("3", "", "Pending")}, 0},
		{"not in the books", nil, []kube.Pod{pod("1", "n", "Running")}, 1},
		{"not released", []Row{row("1", "n", "bound", 1)}, []kube.Pod{pod("1", "n", "Succeeded")}, 1},
		{"another node", []Row{row("1", "m", "bound", 1)}, []kube.Pod{pod("1", "n", "Running")}, 1},
		{"another amount", []Row{row("1", "n", "bound", 2)}, []kube.Pod{pod("1", "n", "Running")}, 1},
		{"left unknown", []Row{row("1", "n", "unknown", 1)}, []kube.Pod{pod("1", "n", "Running")}, 1},
		{"twice", []Row{row("1", "n", "bound", 1), row("1", "n", "bound", 1)}, []kube.Pod{pod("1", "n", "Running")}, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			if found := Compare(c.rows, c.pods); len(found) != c.wrong {
				t.Errorf("found %v", found)
			}
		})
	}
}
