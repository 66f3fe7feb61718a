// Command controlplane is etcd, kube-apiserver and kube-scheduler of one Kubernetes release in one
// executable. The programs are upstream's own; a test starts each role as a process of its own.
package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"

	"go.etcd.io/etcd/server/v3/etcdmain"
	utilyaml "k8s.io/apimachinery/pkg/util/yaml"
	"k8s.io/component-base/cli"
	_ "k8s.io/component-base/logs/json/register"
	_ "k8s.io/component-base/metrics/prometheus/clientgo"
	_ "k8s.io/component-base/metrics/prometheus/version"
	apiserver "k8s.io/kubernetes/cmd/kube-apiserver/app"
	scheduler "k8s.io/kubernetes/cmd/kube-scheduler/app"
	"sigs.k8s.io/yaml"
)

const exUsage = 64

const usage = `usage: controlplane ROLE [flags]

  etcd, apiserver, scheduler   the upstream program, with its own flags
  json                         YAML documents from stdin as one JSON array on stdout
`

// What each role runs, and the exit status it ends with.
var roles = map[string]func() int{
	"etcd":      func() int { etcdmain.Main(os.Args); return 0 },
	"apiserver": func() int { return cli.Run(apiserver.NewAPIServerCommand()) },
	"scheduler": func() int { return cli.Run(scheduler.NewSchedulerCommand()) },
	"json":      func() int { return report(toJSON(os.Stdin, os.Stdout)) },
}

func main() {
	if len(os.Args) < 2 || roles[os.Args[1]] == nil {
		fmt.Fprint(os.Stderr, usage)
		os.Exit(exUsage)
	}
	// Upstream's commands read os.Args themselves.
	os.Args = os.Args[1:]
	os.Exit(roles[os.Args[0]]())
}

func report(err error) int {
	if err == nil {
		return 0
	}
	fmt.Fprintln(os.Stderr, "controlplane:", err)
	return 1
}

// toJSON spares the tests a YAML library: they read what users get through this one.
func toJSON(in io.Reader, out io.Writer) error {
	documents := []json.RawMessage{}
	reader := utilyaml.NewYAMLReader(bufio.NewReader(in))
	for {
		text, err := reader.Read()
		if errors.Is(err, io.EOF) {
			return json.NewEncoder(out).Encode(documents)
		}
		if err != nil {
			return err
		}
		document, err := yaml.YAMLToJSONStrict(text)
		if err != nil {
			return err
		}
		if string(document) != "null" {
			documents = append(documents, document)
		}
	}
}
