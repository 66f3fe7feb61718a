package bed

import (
	"fmt"
	"time"

	"shikiri.dev/e2e/kube"
	"shikiri.dev/e2e/oracle"
)

// Judge fails the test for what must never have happened, and for books that don't come right.
func (b *Bed) Judge() {
	b.T.Helper()
	violations, _ := b.Trust.Violations()
	violations = append(violations, b.Quota.Violations()...)
	if !b.Setup.Refuses {
		for _, refused := range b.Fleet.Refusals() {
			violations = append(violations, fmt.Sprintf("%s was refused by %s: %s", refused.Pod, refused.Node, refused.Message))
		}
	}
	for _, violation := range violations {
		b.T.Error(violation)
	}
	if b.Daemon.Alive() {
		b.JudgeLedger()
	}
}

// JudgeLedger waits until the ledger and the API server agree.
func (b *Bed) JudgeLedger() {
	b.T.Helper()
	b.JudgeLedgerWithin(Patience)
}

// JudgeLedgerWithin has more patience, or less.
func (b *Bed) JudgeLedgerWithin(patience time.Duration) {
	b.T.Helper()
	b.agree("ledger and API server agree", patience, b.Pods)
}

// agree waits until there is nothing that the ledger's rows and those pods disagree about.
func (b *Bed) agree(what string, patience time.Duration, pods func() []kube.Pod) {
	b.T.Helper()
	var last []string
	defer func() {
		for _, difference := range last {
			b.T.Log(difference)
		}
	}()
	Await(b.T, what, patience, func() bool {
		rows, err := b.Daemon.Allocations()
		last = oracle.Compare(rows, pods())
		if err != nil {
			last = []string{err.Error()}
		}
		return len(last) == 0
	})
}
