// Package suite is what must hold when a real kube-scheduler, kube-apiserver and etcd work with shikiri.
package suite

import (
	"os"
	"testing"

	"shikiri.dev/e2e/bed"
)

func TestMain(m *testing.M) {
	status := m.Run()
	bed.StopPlane()
	os.Exit(status)
}
