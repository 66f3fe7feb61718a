#!/usr/bin/env bash
# Builds etcd, kube-apiserver and kube-scheduler of one Kubernetes release, and runs shikiri with them.
set -euo pipefail

usage() {
	cat <<'TEXT'
usage: test/e2e/run.sh [GO TEST FLAG]...      such as -run TestChurn

  SHIKIRI_BUILD            build folder of meson, set up with -Dfailpoints=true (build-failpoints)
  SHIKIRI_E2E_KUBERNETES   release to run with (1.36.3); 1.34.4 and 1.37.2 are known to work
  SHIKIRI_E2E_CHURN        how long the churn test churns (2m)

The last line is "N passed, N failed, N skipped". Programs and logs are in build-e2e. Without Go 1.26
nothing is run, which isn't a failure.
TEXT
}

[[ ${1:-} != -h && ${1:-} != --help ]] || { usage && exit 0; }

TOP="$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd -P)"
PINNED=1.36.3
RELEASE="${SHIKIRI_E2E_KUBERNETES:-$PINNED}"
OUT="$TOP/build-e2e/$RELEASE"

# The suite needs what is here: no other toolchain is fetched.
export GOTOOLCHAIN=local GOFLAGS=-buildvcs=false
export SHIKIRI_SOURCE="$TOP"
export SHIKIRI_BUILD="${SHIKIRI_BUILD:-$TOP/build-failpoints}"
export SHIKIRI_E2E_CONTROLPLANE="$OUT/controlplane"
export SHIKIRI_E2E_FOLDER="$OUT/run"

skip() {
	echo "skipped: $1"
	echo "0 passed, 0 failed, 1 skipped"
	exit 0
}

have_go() {
	local version
	version=$(go env GOVERSION 2>/dev/null) || return 1
	[[ $(printf '%s\n' go1.26 "$version" | sort -V | head -n 1) == go1.26 ]]
}

# Another release than the pinned one is built from a copy with requirements of its own.
source_folder() {
	local pinned="$TOP/test/e2e/controlplane" copy="$OUT/source"
	[[ $RELEASE != "$PINNED" ]] || { echo "$pinned" && return; }
	mkdir -p "$copy"
	cp "$pinned/main.go" "$copy"
	[[ -f $copy/go.sum ]] || "$pinned/pin.sh" "$RELEASE" "$copy" >&2
	echo "$copy"
}

build_control_plane() {
	local base=k8s.io/component-base/version minor=${RELEASE#1.}
	cd "$(source_folder)"
	CGO_ENABLED=0 go build -trimpath -o "$SHIKIRI_E2E_CONTROLPLANE" -ldflags "-s -w -X $base.gitVersion=v$RELEASE \
		-X $base.gitMajor=${RELEASE%%.*} -X $base.gitMinor=${minor%%.*}" .
}

# Go counts packages; whoever reads the last line wants tests.
count() {
	awk '/^ *--- PASS/ {p++} /^ *--- FAIL/ {f++} /^ *--- SKIP/ {s++}
		END {printf "%d passed, %d failed, %d skipped\n", p, f, s}' "$1"
}

have_go || skip "no go 1.26 or newer; the end-to-end tests build Kubernetes with it"
mkdir -p "$OUT"
rm -rf "$SHIKIRI_E2E_FOLDER"
mkdir -p "$SHIKIRI_E2E_FOLDER"
echo "building the control plane of Kubernetes $RELEASE; the first time takes about ten minutes"
(build_control_plane)

cd "$TOP/test/e2e"
unformatted=$(gofmt -l .)
[[ -z $unformatted ]] || { echo "not as gofmt writes it: $unformatted" && exit 1; }
go vet ./...
mapfile -t tools < <(go list ./... | grep -v '/suite$')
status=0
{
	# The suite comes by itself, or Go would keep its words back until all is over.
	go test -count=1 -v -timeout 2m "$@" "${tools[@]}" && go test -count=1 -v -timeout 30m "$@" ./suite
} 2>&1 | tee "$OUT/test.log" || status=$?
count "$OUT/test.log"
exit "$status"
