package bed

import (
	"net/http"
	"os"

	"shikiri.dev/e2e/kube"
)

const accountPath = "/api/v1/namespaces/" + systemNamespace + "/serviceaccounts/" + daemonAccount

// RenewAccount makes shikirid's service account anew, which ends its tokens, and returns a token of the new
// one. The roles are bound to the name and stay.
func (b *Bed) RenewAccount() (token string) {
	b.T.Helper()
	old, err := os.ReadFile(b.TokenFile())
	b.Must(err)
	b.oldToken = string(old)
	b.Must(b.Admin.Delete(accountPath))
	for _, object := range b.Manifests {
		if path, err := kube.PathOf(object); err == nil && path == accountPath {
			b.Must(b.Apply(object, false))
		}
	}
	token, err = b.token(daemonAccount)
	b.Must(err)
	return token
}

// OldTokenIsDead says whether the API server refuses the token of before RenewAccount.
func (b *Bed) OldTokenIsDead() bool {
	var nodes kube.List[kube.Node]
	err := kube.New(b.Server, b.CA.PEM, b.oldToken).Get("/api/v1/nodes?limit=1", &nodes)
	return kube.Refused(err, http.StatusUnauthorized)
}
