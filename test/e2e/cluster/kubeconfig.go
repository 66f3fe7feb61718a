package cluster

import (
	"encoding/json"
	"os"
)

// Kubeconfig is how one program reaches the API server. Of token and file the set one is written.
type Kubeconfig struct {
	Server    string
	CA        []byte // put into the file itself
	CAFile    string // or referred to
	Token     string
	TokenFile string
}

// Write makes the file. JSON is YAML too.
func (k Kubeconfig) Write(path string) error {
	cluster := map[string]any{"server": k.Server}
	if k.CAFile != "" {
		cluster["certificate-authority"] = k.CAFile
	} else {
		cluster["certificate-authority-data"] = k.CA
	}
	user := map[string]any{"token": k.Token}
	if k.TokenFile != "" {
		user = map[string]any{"tokenFile": k.TokenFile}
	}
	text, err := json.MarshalIndent(map[string]any{
		"apiVersion": "v1", "kind": "Config", "current-context": "e2e",
		"clusters": []any{map[string]any{"name": "e2e", "cluster": cluster}},
		"users":    []any{map[string]any{"name": "e2e", "user": user}},
		"contexts": []any{map[string]any{"name": "e2e", "context": map[string]any{"cluster": "e2e", "user": "e2e"}}},
	}, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(path, text, 0o600)
}
