#!/usr/bin/env bash
# Builds shikiri in every way that the tests need, and runs every suite there is.
set -euo pipefail
export LC_ALL=C.UTF-8

usage() {
	cat <<'TEXT'
usage: test/run.sh [--quick] [--suite NAME]... [--fuzz-seconds N] [--list]

  --quick           release build with unit, prop (fewer cases), scenario and lint; under a minute
  --suite NAME      only this suite; may be repeated. bench runs on demand only
  --fuzz-seconds N  time for each fuzz target (20)
  --list            name the suites of this tree and exit

One line a suite, then "N passed, N failed": test cases, over all suites. Exit status 1 when anything
failed. Packages that are missing are installed with apt-get by root or sudo. Builds are in build-*,
logs in build-logs.
TEXT
}

TOP="$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd -P)"
cd "$TOP"
LOGS="$TOP/build-logs"
QUICK=false
LIST=false
ONLY=()
FUZZ_SECONDS=20

while (($#)); do
	case "$1" in
	--quick) QUICK=true ;;
	--list) LIST=true ;;
	--suite) ONLY+=("${2:?--suite needs a name}") && shift ;;
	--fuzz-seconds) FUZZ_SECONDS="${2:?--fuzz-seconds needs a number}" && shift ;;
	-h | --help) usage && exit 0 ;;
	*) echo "run.sh: unknown argument $1; see --help" >&2 && exit 64 ;;
	esac
	shift
done

# --- what the machine has to have ---------------------------------------------------------------

missing_packages() {
	local package
	sed 's/#.*//' deploy/packages.txt test/packages.txt | while read -r package; do
		[[ -z $package ]] && continue
		[[ "$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null)" == installed ]] ||
			echo "$package"
	done
}

install_packages() {
	local -a as_root=(env DEBIAN_FRONTEND=noninteractive apt-get)
	if ! command -v dpkg-query >/dev/null; then
		echo "run.sh: no Debian here; the packages of deploy/packages.txt and test/packages.txt are taken as given" >&2
		return
	fi
	local -a missing
	mapfile -t missing < <(missing_packages)
	((${#missing[@]})) || return 0
	if ((EUID != 0)); then
		if ! sudo -n true 2>/dev/null; then
			echo "run.sh: missing packages: ${missing[*]}" >&2
			echo "run.sh: neither root nor sudo without a password; run: apt-get install ${missing[*]}" >&2
			exit 1
		fi
		as_root=(sudo -n "${as_root[@]}")
	fi
	echo "installing: ${missing[*]}"
	"${as_root[@]}" install -qq -y --no-install-recommends "${missing[@]}" >"$LOGS/packages.log" 2>&1 ||
		{ "${as_root[@]}" update -qq && "${as_root[@]}" install -qq -y --no-install-recommends "${missing[@]}"; } \
			>>"$LOGS/packages.log" 2>&1 ||
		{
			tail -n 15 "$LOGS/packages.log" >&2
			echo "run.sh: apt-get could not install: ${missing[*]}" >&2
			exit 1
		}
}

# Of the pythons here, one that has pytest; meson and the tests then find it first.
choose_python() {
	local candidate folder="$LOGS/bin"
	for candidate in /usr/bin/python3 python3; do
		if "$candidate" -c 'import pytest' 2>/dev/null; then
			mkdir -p "$folder"
			ln -sf "$(command -v "$candidate")" "$folder/python3"
			export PATH="$folder:$PATH"
			return
		fi
	done
	echo "run.sh: no python3 with pytest; run: apt-get install python3-pytest" >&2
	exit 1
}

# --- running one thing and telling of it --------------------------------------------------------

PASSED=0
FAILED=0

seconds_since() {
	local now=${EPOCHREALTIME/./} then=${1/./}
	printf '%d.%d' $(((now - then) / 1000000)) $(((now - then) / 100000 % 10))
}

tell_failure() { # NAME LOG
	echo "$1 … FAILED, log: $2"
	grep -v '^[[:space:]]*$' "$2" | tail -n "${3:-12}" | sed 's/^/    /' || true
}

# NAME PASSED FAILED SKIPPED STATUS LOG STARTED
tell() {
	local name=$1 passed=$2 failed=$3 skipped=$4 status=$5 log=$6 started=$7 note="" word=tests
	if ((status != 0 && failed == 0)); then
		failed=1
	elif ((passed + failed + skipped == 0)); then
		failed=1
		echo "the suite ran no test" >>"$log"
	fi
	PASSED=$((PASSED + passed))
	FAILED=$((FAILED + failed))
	((skipped == 0)) || note=", $skipped skipped"
	((passed != 1)) || word=test
	if ((failed)); then
		tell_failure "$name ($failed of $((passed + failed)) tests)" "$log" 30
	else
		echo "$name … ok ($passed $word$note, $(seconds_since "$started") s)"
	fi
	((skipped == 0)) || grep -hE '^skipped: |^SKIPPED ' "$log" | sort -u | sed 's/^/    /' || true
}

# NAME TIMEOUT COMMAND...: counts what the command prints.
run_counted() {
	local name=$1 limit=$2 log="$LOGS/$1.log" started=$EPOCHREALTIME status=0
	shift 2
	timeout --kill-after=10 "$limit" "$@" >"$log" 2>&1 </dev/null || status=$?
	((status != 124 && status != 137)) || echo "stopped after $limit s" >>"$log"
	local -a counts
	read -r -a counts < <(python3 test/tally.py --text "$log" "$status")
	tell "$name" "${counts[@]}" "$status" "$log" "$started"
}

# NAME BUILD TIMEOUT ARGUMENTS...: tests that meson knows; WRAPPER stands before the command.
WRAPPER=()
run_meson() {
	local name=$1 build=$2 limit=$3 log="$LOGS/$1.log" started=$EPOCHREALTIME status=0
	shift 3
	local json="$build/meson-logs/$name.json"
	rm -f "$json"
	timeout --kill-after=10 "$limit" "${WRAPPER[@]}" meson test -C "$build" --no-rebuild --print-errorlogs \
		--logbase "$name" "$@" >"$log" 2>&1 </dev/null || status=$?
	((status != 124 && status != 137)) || echo "stopped after $limit s" >>"$log"
	local -a counts=(0 0 0)
	[[ ! -f $json ]] || read -r -a counts < <(python3 test/tally.py "$json")
	tell "$name" "${counts[@]}" "$status" "$log" "$started"
}

# --- builds -------------------------------------------------------------------------------------

declare -A BUILT=()
SANITIZE=(--buildtype=debugoptimized -Db_lundef=false)

setup_options() {
	case "$1" in
	release) echo --buildtype=release ;;
	asan) printf '%s\n' "${SANITIZE[@]}" -Db_sanitize=address,undefined -Dc_args=-fno-sanitize-recover=all ;;
	tsan) printf '%s\n' "${SANITIZE[@]}" -Db_sanitize=thread ;;
	clang) printf '%s\n' "${SANITIZE[@]}" -Dfuzz=true ;;
	coverage) printf '%s\n' --buildtype=debug -Db_coverage=true ;;
	failpoints) printf '%s\n' --buildtype=release -Dfailpoints=true ;;
	esac
}

make_build() { # KIND: configure once, compile always
	local kind=$1 folder="build-$1" compiler=gcc
	local -a options
	mapfile -t options < <(setup_options "$kind")
	[[ $kind != clang ]] || compiler=clang-14
	if [[ ! -f $folder/build.ninja ]]; then
		rm -rf "$folder"
		CC=$compiler meson setup "$folder" --werror "${options[@]}"
	fi
	meson compile -C "$folder" -j "$(nproc)"
}

# KIND: true when the build is there; it is made at the first call and told of once.
build() {
	local kind=$1 log="$LOGS/build-$1.log" started=$EPOCHREALTIME
	if [[ -z ${BUILT[$kind]:-} ]]; then
		if (make_build "$kind") >"$log" 2>&1; then
			BUILT[$kind]=yes
			echo "build $kind … ok ($(seconds_since "$started") s)"
		else
			BUILT[$kind]=no
			FAILED=$((FAILED + 1))
			tell_failure "build $kind" "$log" 5
			grep -E 'error:|ERROR:|undefined reference|warning:' "$log" | head -n 20 | sed 's/^/    /' || true
		fi
	fi
	[[ ${BUILT[$kind]} == yes ]]
}

registered() { # suites that the tests of the release build belong to
	meson introspect --tests build-release | python3 -c '
import json, sys
names = {s.split(":")[-1] for t in json.load(sys.stdin) for s in t["suite"]}
print(*sorted(names), sep="\n")'
}

names_in() { # BUILD PREFIX...: tests whose names begin so
	meson introspect --tests "$1" | python3 -c '
import json, sys
print(*(t["name"] for t in json.load(sys.stdin) if t["name"].startswith(tuple(sys.argv[1:]))), sep="\n")' "${@:2}"
}

# --- suites that aren't simply meson's ----------------------------------------------------------

fuzz_targets() {
	find test/fuzz -maxdepth 1 -name 'fuzz_*.c' -printf '%f\n' 2>/dev/null | sed 's/^fuzz_//; s/\.c$//' | sort
}

fuzz_one() { # NAME
	local target="fuzz_$1" corpus="test/fuzz/corpus/$1" work="$LOGS/fuzz/$1" log="$LOGS/fuzz-$1.log"
	mkdir -p "$work"
	local -a inputs=("$work")
	[[ ! -d $corpus ]] || inputs+=("$corpus")
	if timeout --kill-after=10 $((FUZZ_SECONDS + 120)) "build-clang/test/fuzz/$target" \
		-max_total_time="$FUZZ_SECONDS" -timeout=20 -rss_limit_mb=2048 -print_final_stats=1 \
		-artifact_prefix="$work/found-" "${inputs[@]}" >"$log" 2>&1 </dev/null; then
		echo "ok $target: $(grep -oE 'executed_units: +[0-9]+' "$log")"
	else
		echo "not ok $target, input in $work, log $log"
		tail -n 20 "$log" | sed 's/^/# /'
	fi
}

# All targets, as many at a time as there are processors. What they find new stays in build-logs.
run_fuzz() {
	local name log="$LOGS/fuzz.log" started=$EPOCHREALTIME
	: >"$log"
	for name in $(fuzz_targets); do
		while (($(jobs -rp | wc -l) >= $(nproc))); do wait -n || true; done
		fuzz_one "$name" >>"$log" &
	done
	wait
	tell fuzz "$(grep -c '^ok ' "$log")" "$(grep -c '^not ok ' "$log")" 0 0 "$log" "$started"
}

# FOLDER PERCENT: branches covered by all tests of the coverage build. Asserts don't count: their
# other branch is a programmer's mistake.
gate() {
	echo "branches of $1, wanted $2 %:"
	gcovr --root . --filter "$1/" --branches --exclude-unreachable-branches \
		--exclude-branches-by-pattern '.*\bassert\(.*' --fail-under-branch "$2" build-coverage
}

run_coverage() {
	local log="$LOGS/coverage.log" started=$EPOCHREALTIME folder wanted passed=0 failed=0 summary=""
	find build-coverage -name '*.gcda' -delete
	meson test -C build-coverage --no-rebuild --suite unit --suite prop --suite scenario >"$log" 2>&1 || true
	while read -r folder wanted; do
		[[ -n "$(find "$folder" -name '*.c' -print -quit 2>/dev/null)" ]] || continue
		if gate "$folder" "$wanted" >"$LOGS/coverage-part.log" 2>&1; then
			passed=$((passed + 1))
		else
			failed=$((failed + 1))
			echo "$folder is below $wanted %" >>"$LOGS/coverage-part.log"
		fi
		cat "$LOGS/coverage-part.log" >>"$log"
		summary+=" ${folder#src/} $(awk '/^TOTAL/ {print $4}' "$LOGS/coverage-part.log")"
	done <<<$'src/core 95\nsrc/wire 85\nsrc/ledger 85'
	echo "branches:$summary" >>"$log"
	tell "coverage:$summary" "$passed" "$failed" 0 0 "$log" "$started"
}

# --- the plan -----------------------------------------------------------------------------------

export ASAN_OPTIONS="detect_leaks=1:strict_string_checks=1:detect_stack_use_after_return=1"
export UBSAN_OPTIONS="print_stacktrace=1:halt_on_error=1"
export PYTHONDONTWRITEBYTECODE=1
if $QUICK; then export SHK_PROP_CASES="${SHK_PROP_CASES:-200}"; fi
export TSAN_OPTIONS="halt_on_error=1:second_deadlock_stack=1"

# Suites of this tree, in the order in which they run.
plan() {
	local suite
	local -A has=()
	while read -r suite; do has[$suite]=yes; done < <(registered)
	for suite in unit prop scenario lint; do
		[[ -z ${has[$suite]:-} ]] || echo "$suite"
	done
	[[ $QUICK == false ]] || return 0
	for suite in unit prop scenario; do
		[[ -z ${has[$suite]:-} ]] || echo "$suite-asan"
	done
	[[ -z ${has[model]:-} && ! -f test/model/differential.py ]] || echo model
	[[ -z "$(find test/api -name 'test_*.py' -print -quit 2>/dev/null)" ]] || echo api
	[[ -z ${has[fuzz]:-} ]] || echo fuzz-replay
	[[ -z ${has[crash]:-} ]] || echo crash
	[[ -z ${has[unit]:-} ]] || echo tsan
	# Whatever else registers itself runs too.
	for suite in "${!has[@]}"; do
		case "$suite" in
		unit | prop | scenario | model | lint | api | fuzz | crash | bench) ;;
		*) echo "$suite" ;;
		esac
	done
	[[ ! -x test/e2e/run.sh ]] || echo e2e
	[[ -z "$(fuzz_targets)" ]] || echo fuzz
	[[ -z ${has[unit]:-} ]] || echo coverage
	echo cppcheck
	echo clang-tidy
}

run_suite() {
	case "$1" in
	unit-asan | prop-asan | scenario-asan)
		if build asan; then run_meson "$1" build-asan 900 -t 5 --suite "${1%-asan}"; fi
		;;
	api)
		if build asan; then
			SHIKIRI_BUILD="$TOP/build-asan" run_counted api 1200 python3 -m pytest -q -rs -p no:cacheprovider test/api
		fi
		;;
	model)
		if build release; then
			SHIKIRI_BUILD="$TOP/build-release" run_counted model 600 python3 test/model/differential.py
		fi
		;;
	fuzz-replay) if build asan; then run_meson fuzz-replay build-asan 300 --suite fuzz; fi ;;
	tsan)
		if build tsan; then
			# The thread sanitizer of gcc 12 wants its shadow where address randomisation may put a library.
			WRAPPER=(setarch -R)
			local -a threaded
			mapfile -t threaded < <(names_in build-tsan unit/app/ unit/http/ unit/base/)
			run_meson tsan build-tsan 900 -t 10 "${threaded[@]}"
			WRAPPER=()
		fi
		;;
	fuzz) if build clang; then run_fuzz; fi ;;
	coverage) if build coverage; then run_coverage; fi ;;
	cppcheck) if build clang; then run_counted cppcheck 600 python3 test/lint/run_cppcheck.py build-clang; fi ;;
	clang-tidy) if build clang; then run_counted clang-tidy 1500 python3 test/lint/run_clang_tidy.py build-clang; fi ;;
	e2e)
		if build failpoints; then
			SHIKIRI_BUILD="$TOP/build-failpoints" run_counted e2e 3600 test/e2e/run.sh
		fi
		;;
	bench) if build release; then meson test -C build-release --benchmark --verbose; fi ;;
	prop) if build release; then run_meson prop build-release 600 -t 3 --suite prop; fi ;;
	*) if build release; then run_meson "$1" build-release 900 -t 3 --suite "$1"; fi ;;
	esac
}

main() {
	mkdir -p "$LOGS"
	install_packages
	choose_python
	if ! build release; then
		echo "$PASSED passed, $FAILED failed"
		exit 1
	fi
	local -a suites
	mapfile -t suites < <(plan)
	if $LIST; then
		printf '%s\n' "${suites[@]}"
		exit 0
	fi
	if ((${#ONLY[@]})); then
		local name
		for name in "${ONLY[@]}"; do
			if [[ " ${suites[*]} bench " != *" $name "* ]]; then
				echo "run.sh: no suite $name in this tree; there are: ${suites[*]} bench" >&2
				exit 64
			fi
		done
		suites=("${ONLY[@]}")
	fi
	local suite
	for suite in "${suites[@]}"; do
		run_suite "$suite"
	done
	echo "$PASSED passed, $FAILED failed"
	((FAILED == 0))
}

main
