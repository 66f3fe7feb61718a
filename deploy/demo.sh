#!/usr/bin/env bash
# The example cluster, live: builds shikiri, starts it on deploy/example and plays the scheduler.
#
#   deploy/demo.sh           everything, then stops and cleans up
#   deploy/demo.sh --keep    leaves the daemon running, and says how to stop it
#
# Exit status 0 when every decision was as announced.
set -euo pipefail

top=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
build=${SHIKIRI_BUILD:-$top/build}
example=$top/deploy/example
keep=false
daemon=
work=

usage() {
	sed -n '2,7s/^# \{0,1\}//p' "${BASH_SOURCE[0]}"
}

fail() {
	echo "demo: $*" >&2
	exit 1
}

note() {
	echo "demo: $*"
}

clean_up() {
	if [ -n "$daemon" ]; then
		kill "$daemon" 2>/dev/null || true
		wait "$daemon" 2>/dev/null || true
	fi
	if [ -n "$work" ]; then
		rm -rf "$work"
	fi
}

# --- packages ----------------------------------------------------------------------------------

missing_packages() {
	local package
	while read -r package; do
		case $package in '' | '#'*) continue ;; esac
		dpkg-query -W -f='${Status}\n' "$package" 2>/dev/null | grep -q '^install ok installed' ||
			printf '%s ' "$package"
	done <"$top/deploy/packages.txt"
}

install_packages() {
	local root=
	if ! command -v dpkg-query >/dev/null; then
		note "not a Debian system; taking it that what deploy/packages.txt names is here"
		return
	fi
	local missing
	missing=$(missing_packages)
	if [ -z "$missing" ]; then
		return
	fi
	note "missing packages: $missing"
	if [ "$(id -u)" -ne 0 ]; then
		root=sudo
		sudo -n true 2>/dev/null ||
			fail "please run: sudo apt-get install --no-install-recommends $missing"
	fi
	# shellcheck disable=SC2086 # a list of words
	$root env DEBIAN_FRONTEND=noninteractive apt-get install -qq -y --no-install-recommends $missing ||
		{ $root apt-get update -qq &&
			$root env DEBIAN_FRONTEND=noninteractive \
				apt-get install -qq -y --no-install-recommends $missing; } ||
		fail "apt-get failed; please run: apt-get update && apt-get install $missing"
}

# --- build -------------------------------------------------------------------------------------

build_programs() {
	local log=$work/build.log
	if [ ! -f "$build/build.ninja" ]; then
		note "setting up $build (release, without the tests)"
		meson setup "$build" "$top" --buildtype=release -Dtests=false >"$log" 2>&1 ||
			{ tail -n 30 "$log" >&2; fail "meson setup failed"; }
	fi
	note "building"
	ninja -C "$build" cmd/shikirid/shikirid cmd/shikirictl/shikirictl >"$log" 2>&1 ||
		{ tail -n 30 "$log" >&2; fail "the build failed"; }
}

# --- daemon ------------------------------------------------------------------------------------

# Sets daemon, extender and admin.
start_daemon() {
	local line= i
	: >"$work/ready"
	nohup "$build/cmd/shikirid/shikirid" --snapshot "$example/cluster.json" \
		--apply "$example/tenants.yaml" --ledger "$work/ledger.db" \
		--listen 127.0.0.1:0 --admin-listen 127.0.0.1:0 --log-format json \
		</dev/null >"$work/ready" 2>"$work/shikirid.log" &
	daemon=$!
	for ((i = 0; i < 200; i++)); do
		line=$(head -n 1 "$work/ready")
		case $line in ready\ *) break ;; esac
		kill -0 "$daemon" 2>/dev/null || break
		sleep 0.1
	done
	case $line in
	ready\ extender=*\ admin=*) ;;
	*)
		tail -n 20 "$work/shikirid.log" >&2
		fail "shikirid didn't get ready"
		;;
	esac
	extender=${line#ready extender=}
	extender=${extender%% *}
	admin=${line##* admin=}
	note "shikirid serves the scheduler at $extender and administrators at $admin"
}

# --- afterwards --------------------------------------------------------------------------------

say_next() {
	local ctl=${build#"$top/"}/cmd/shikirictl/shikirictl
	echo
	echo "Next, from $top:"
	if $keep; then
		echo "  export SHIKIRI_SERVER=$admin"
		echo "  $ctl dry-run -f deploy/example/workloads/sweep-job.yaml"
		echo "  $ctl describe node gpu-l40s-01"
		echo "  $ctl explain reason TrustBoundary"
		echo
		echo "It keeps running (ledger and log are in $work). To stop it:"
		echo "  kill $daemon && rm -r $work"
	else
		echo "  $ctl dry-run --snapshot deploy/example/cluster.json \\"
		echo "      --apply deploy/example/tenants.yaml -f deploy/example/workloads/sweep-job.yaml"
		echo "  $ctl explain reason TrustBoundary"
		echo "  deploy/demo.sh --keep        # and then look around, with the daemon running"
	fi
}

main() {
	local status=0
	for argument in "$@"; do
		case $argument in
		--keep) keep=true ;;
		-h | --help)
			usage
			exit 0
			;;
		*)
			echo "demo: unknown flag $argument (there are --keep and --help)" >&2
			exit 64
			;;
		esac
	done
	cd "$top"
	work=$(mktemp -d "${TMPDIR:-/tmp}/shikiri-demo.XXXXXX")
	trap clean_up EXIT
	trap 'exit 130' INT
	trap 'exit 143' TERM
	install_packages
	build_programs
	start_daemon
	timeout 60 python3 "$top/deploy/demo.py" --extender "$extender" --admin "$admin" \
		--ctl "$build/cmd/shikirictl/shikirictl" --snapshot "$example/cluster.json" \
		--expected "$example/expected.json" || status=$?
	if [ "$status" -ne 0 ]; then
		note "something was other than announced" >&2
	fi
	say_next
	if $keep; then
		daemon=
		work=
	fi
	exit "$status"
}

main "$@"
