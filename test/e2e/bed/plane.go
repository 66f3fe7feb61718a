package bed

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"

	"shikiri.dev/e2e/cluster"
	"shikiri.dev/e2e/kube"
)

// Where the things under test are; run.sh sets these.
const (
	envControlPlane = "SHIKIRI_E2E_CONTROLPLANE" // the built command
	envBuild        = "SHIKIRI_BUILD"            // meson's build folder, with failpoints
	envSource       = "SHIKIRI_SOURCE"           // top of the tree
	envFolder       = "SHIKIRI_E2E_FOLDER"       // for data and logs
)

// plane is the control plane that all tests of a run share, and what is in it for all of them.
type plane struct {
	*cluster.ControlPlane
	Manifests []map[string]any // deploy/manifests, in the order of their files
}

const (
	systemNamespace  = "shikiri-system"
	daemonAccount    = "shikirid"
	schedulerAccount = "shikiri-scheduler"
)

var (
	shared  = sync.OnceValues(startPlane)
	started *plane
)

func startPlane() (*plane, error) {
	folder := filepath.Join(os.Getenv(envFolder), "plane")
	// The data of an earlier run would want its ports back.
	if err := errors.Join(os.RemoveAll(folder), os.MkdirAll(folder, 0o700)); err != nil {
		return nil, err
	}
	control, err := cluster.Start(os.Getenv(envControlPlane), folder)
	if err != nil {
		return nil, err
	}
	p := &plane{ControlPlane: control}
	started = p
	if p.Manifests, err = readManifests(control, "deploy/manifests"); err != nil {
		return nil, err
	}
	for _, object := range p.Manifests {
		if err := p.Apply(object, false); err != nil {
			return nil, err
		}
	}
	return p, nil
}

// StopPlane ends the shared control plane, if any test started it.
func StopPlane() {
	if started != nil {
		started.Stop()
	}
}

func readManifests(control *cluster.ControlPlane, folder string) ([]map[string]any, error) {
	files, err := filepath.Glob(filepath.Join(os.Getenv(envSource), folder, "*.yaml"))
	if err != nil || len(files) == 0 {
		return nil, fmt.Errorf("no manifests in %s", folder)
	}
	var objects []map[string]any
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		documents, err := control.Documents(text)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		objects = append(objects, documents...)
	}
	return objects, nil
}

// Apply is `kubectl apply --server-side -f` for one object.
func (p *plane) Apply(object map[string]any, dryRun bool) error {
	path, err := kube.PathOf(object)
	if err != nil {
		return err
	}
	if err := p.Admin.Apply(path, object, dryRun); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return nil
}

// token is one for a service account, good for an hour.
func (p *plane) token(account string) (string, error) {
	var answer struct {
		Status struct{ Token string }
	}
	path := fmt.Sprintf("/api/v1/namespaces/%s/serviceaccounts/%s/token", systemNamespace, account)
	err := p.Admin.Create(path, map[string]any{"apiVersion": "authentication.k8s.io/v1", "kind": "TokenRequest",
		"spec": map[string]any{"expirationSeconds": 3600}}, &answer)
	return answer.Status.Token, err
}
