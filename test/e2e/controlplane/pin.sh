#!/usr/bin/env bash
# Writes go.mod and go.sum for one Kubernetes release: pin.sh RELEASE [FOLDER]
#
# k8s.io/kubernetes asks for its staging modules as v0.0.0 and replaces them by folders of its own
# tree. Only the main module's replacements count, so each is named here again, as it was published.
set -euo pipefail
[[ ${1:-} =~ ^1\.[0-9]+\.[0-9]+$ ]] || { echo "usage: pin.sh RELEASE [FOLDER], RELEASE as in 1.36.3" >&2 && exit 64; }
release=$1
cd "${2:-"$(dirname "${BASH_SOURCE[0]}")"}"

version=${release#1.}
staging=(api apiextensions-apiserver apimachinery apiserver cli-runtime client-go cloud-provider
	cluster-bootstrap code-generator component-base component-helpers controller-manager cri-api
	cri-client csi-translation-lib dynamic-resource-allocation endpointslice externaljwt kms
	kube-aggregator kube-controller-manager kube-proxy kube-scheduler kubectl kubelet metrics
	mount-utils pod-security-admission sample-apiserver sample-cli-plugin sample-controller)
((${version%%.*} < 36)) || staging+=(cri-streaming streaming)

{
	printf 'module shikiri.dev/e2e/controlplane\n\ngo 1.26.0\n\n'
	# The oldest etcd server to take; go mod tidy raises it to what the release's client wants.
	printf 'require (\n\tgo.etcd.io/etcd/server/v3 v3.6.13\n\tk8s.io/kubernetes v%s\n)\n\nreplace (\n' "$release"
	for name in "${staging[@]}"; do
		printf '\tk8s.io/%s => k8s.io/%s v0.%s\n' "$name" "$name" "$version"
	done
	printf ')\n'
} >go.mod
rm -f go.sum
go mod tidy
