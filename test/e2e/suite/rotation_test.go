package suite

import (
	"net/http"
	"os"
	"testing"

	"shikiri.dev/e2e/bed"
	"shikiri.dev/e2e/cluster"
	"shikiri.dev/e2e/gpu"
)

func TestTokenRotation(t *testing.T) {
	b := bed.Make(t, bed.Setup{Tenants: strangers(), Nodes: nodes("n", 2, gpu.Whole(1))})
	b.Running(b.Pod("red", "before", gpu.Card, 1))
	b.Must(os.WriteFile(b.TokenFile(), []byte(b.RenewAccount()), 0o600))
	b.Proxy.Cut()
	// API servers remember a good token for ten seconds.
	pod := b.Pod("blue", "after", gpu.Card, 1)
	b.Running(pod)
	bed.Await(t, "the old token is refused", bed.Patience, b.OldTokenIsDead)
	b.Proxy.Cut()
	b.Delete(pod)
	b.RunningWithin(b.Pod("blue", "later", gpu.Card, 1), afterOutage)
	if n := b.Proxy.Answered(http.StatusForbidden); n != 0 {
		t.Errorf("%d calls were forbidden", n)
	}
}

func TestTheAPIServersCertificateChanges(t *testing.T) {
	b := bed.Make(t, bed.Setup{Tenants: strangers(), Nodes: nodes("n", 2, gpu.Whole(1))})
	b.Running(b.Pod("red", "before", gpu.Card, 1))
	other, err := cluster.NewAuthority("another")
	b.Must(err)
	pair, err := other.Serving("proxy")
	b.Must(err)
	certificate, err := pair.TLS()
	b.Must(err)

	b.Must(os.WriteFile(b.CAFile(), append(append([]byte{}, b.CA.PEM...), other.PEM...), 0o600))
	b.Proxy.Present(certificate)
	b.Proxy.Cut()
	pod := b.Pod("blue", "both-trusted", gpu.Card, 1)
	b.RunningWithin(pod, afterOutage)
	b.Delete(pod)

	b.Must(os.WriteFile(b.CAFile(), other.PEM, 0o600))
	b.Proxy.Cut()
	b.RunningWithin(b.Pod("blue", "only-the-new", gpu.Card, 1), afterOutage)
}
