package bed

import "fmt"

// ReadManifests reads the shipped objects of a folder.
func (b *Bed) ReadManifests(folder string) []map[string]any {
	b.T.Helper()
	objects, err := readManifests(b.ControlPlane, folder)
	b.Must(err)
	return objects
}

// GrantOnly puts the objects of a kind from another folder in the place of the shipped ones, for this
// test.
func (b *Bed) GrantOnly(folder, kind string) {
	b.T.Helper()
	apply := func(objects []map[string]any) {
		for _, object := range objects {
			if object["kind"] == kind {
				b.Must(b.Apply(object, false))
			}
		}
	}
	b.T.Cleanup(func() { apply(b.Manifests) })
	apply(b.ReadManifests(folder))
}

// DaemonMay asks the API server what shikirid's service account may do.
func (b *Bed) DaemonMay(verb, group, resource, subresource string) bool {
	b.T.Helper()
	var answer struct {
		Status struct{ Allowed bool }
	}
	b.Must(b.Admin.Create("/apis/authorization.k8s.io/v1/subjectaccessreviews", map[string]any{
		"apiVersion": "authorization.k8s.io/v1", "kind": "SubjectAccessReview",
		"spec": map[string]any{
			"user": fmt.Sprintf("system:serviceaccount:%s:%s", systemNamespace, daemonAccount),
			"resourceAttributes": map[string]any{"namespace": "default", "verb": verb, "group": group,
				"resource": resource, "subresource": subresource}}}, &answer))
	return answer.Status.Allowed
}
