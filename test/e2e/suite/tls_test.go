package suite

import (
	"crypto/tls"
	"net/http"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"shikiri.dev/e2e/bed"
	"shikiri.dev/e2e/cluster"
	"shikiri.dev/e2e/gpu"
)

// certificates makes what shikirictl makes for trying TLS, and returns where.
func certificates(t *testing.T) (file func(name string) string, renew func()) {
	folder := t.TempDir()
	issue := func(more ...string) {
		bed.Ctl(t, append([]string{"certs", "--dir", folder, "--host", "127.0.0.1"}, more...)...)
	}
	issue()
	return func(name string) string { return filepath.Join(folder, name) }, func() { issue("--renew") }
}

// As the documentation says it: certificates with no name given, and the names that the shipped
// configuration takes.
func TestTheSchedulerIsKnownByItsCertificate(t *testing.T) {
	clientName := bed.ShippedSetting(t, "clientName").([]any)[0].(string)
	file, renew := certificates(t)
	b := bed.Make(t, bed.Setup{Idle: true, Tenants: strangers(), Nodes: nodes("n", 4, gpu.Whole(1)), Args: []string{
		"--tls-cert", file("tls.crt"), "--tls-key", file("tls.key"), "--client-ca", file("ca.crt"), "--client-name", clientName}})
	b.Must(b.Daemon.Start())
	b.Schedule("scheduler", b.SchedulerConfig("second", "--scheduler-name", bed.SchedulerName,
		"--tls-ca", file("ca.crt"), "--tls-cert", file("client.crt"), "--tls-key", file("client.key")))
	b.Running(b.Pod("red", "first", gpu.Card, 1))

	b.Run("strangers are refused", func(t *testing.T) {
		other, err := cluster.NewAuthority("other")
		b.Must(err)
		impostor, err := other.Client(clientName)
		b.Must(err)
		pair, err := impostor.TLS()
		b.Must(err)
		for name, certificates := range map[string][]tls.Certificate{"nobody": nil, "an impostor": {pair}} {
			if status := ask(b, certificates); status == http.StatusOK {
				t.Errorf("%s was answered", name)
			}
		}
		if pair, err = tls.LoadX509KeyPair(file("client.crt"), file("client.key")); err != nil {
			t.Fatal(err)
		}
		if status := ask(b, []tls.Certificate{pair}); status != http.StatusOK {
			t.Errorf("the scheduler's own certificate got %d, so this shows nothing", status)
		}
	})
	b.Run("renewed certificates are taken up", func(t *testing.T) {
		renew()
		b.Daemon.Signal(syscall.SIGHUP)
		b.Running(b.Pod("red", "second", gpu.Card, 1))
		b.Must(b.Daemon.Stop())
		b.Must(b.Daemon.Start())
		b.Running(b.Pod("blue", "third", gpu.Card, 1))
	})
}

// ask calls filter with those certificates; 0 when the connection wasn't had.
func ask(b *bed.Bed, certificates []tls.Certificate) int {
	client := http.Client{Timeout: 10 * time.Second, Transport: &http.Transport{DisableKeepAlives: true,
		TLSClientConfig: &tls.Config{InsecureSkipVerify: true, Certificates: certificates}}}
	response, err := client.Post(b.Daemon.Extender+"/scheduler/v1/filter", "application/json", strings.NewReader("{}"))
	if err != nil {
		return 0
	}
	response.Body.Close()
	return response.StatusCode
}
