#!/usr/bin/env python3
"""Count test cases in what a suite printed: "PASSED FAILED SKIPPED".

    tally.py MESON-TESTLOG.JSON
    tally.py --text LOG STATUS

A meson test is one program with many cases; each kind of program says how many in its own words.
One that says nothing is one case.
"""
import json
import re
import sys
from pathlib import Path

SKIP = 77
ANSI = re.compile(r"\x1b\[[0-9;]*m")


def number(pattern: str, text: str) -> int | None:
    found = re.findall(pattern, text, re.M)
    return sum(int(n) for n in found) if found else None


def cmocka(text: str) -> tuple[int, int, int] | None:
    passed = number(r"^\[  PASSED  \] (\d+) test\(s\)", text)
    if passed is None:
        return None
    return (passed, number(r"^\[  FAILED  \] .*?(\d+) test\(s\)", text) or 0,
            number(r"^\[  SKIPPED \] .*?(\d+) test\(s\)", text) or 0)


def unittest(text: str) -> tuple[int, int, int] | None:
    ran = number(r"^Ran (\d+) tests? in", text)
    if ran is None:
        return None
    tail = text[text.rindex("Ran "):]
    failed = (number(r"failures=(\d+)", tail) or 0) + (number(r"errors=(\d+)", tail) or 0)
    skipped = number(r"skipped=(\d+)", tail) or 0
    return ran - min(failed, ran) - skipped, failed, skipped


def summary(text: str) -> tuple[int, int, int] | None:
    """pytest's last line, and our own runners': "12 passed, 1 failed, 2 skipped"."""
    for line in reversed(text.splitlines()):
        found = {word: int(n) for n, word in
                 re.findall(r"\b(\d+) (passed|failed|error|errors|skipped)\b", line)}
        if "passed" in found or "failed" in found:
            failed = found.get("failed", 0) + found.get("error", 0) + found.get("errors", 0)
            return found.get("passed", 0), failed, found.get("skipped", 0)
    return None


def tap(text: str) -> tuple[int, int, int] | None:
    if not re.search(r"^1\.\.\d+", text, re.M):
        return None
    lines = re.findall(r"^(not )?ok\b(.*)$", text, re.M)
    skipped = sum(1 for bad, rest in lines if not bad and "# SKIP" in rest)
    failed = sum(1 for bad, _ in lines if bad)
    return len(lines) - failed - skipped, failed, skipped


def count(text: str, status: int) -> tuple[int, int, int]:
    """The cases of one program. A program that failed has at least one failed case."""
    if status == SKIP:
        return 0, 0, 1
    text = ANSI.sub("", text)
    for reader in (cmocka, unittest, tap, summary):
        if found := reader(text):
            passed, failed, skipped = found
            return passed, max(failed, 1) if status else failed, skipped
    return (0, 1, 0) if status else (1, 0, 0)


def main(argv: list[str]) -> int:
    if len(argv) == 4 and argv[1] == "--text":
        text = Path(argv[2]).read_text(encoding="utf-8", errors="replace")
        counts = [count(text, int(argv[3]))]
    elif len(argv) == 2:
        runs = [json.loads(line) for line in
                Path(argv[1]).read_text(encoding="utf-8", errors="replace").splitlines() if line]
        counts = [count(run.get("stdout", "") + "\n" + run.get("stderr", ""),
                        status_of(run)) for run in runs]
    else:
        print("usage: tally.py TESTLOG.JSON | --text LOG STATUS", file=sys.stderr)
        return 64
    print(*(sum(c[i] for c in counts) for i in range(3)))
    return 0


def status_of(run: dict) -> int:
    result = run["result"]
    return SKIP if result == "SKIP" else 0 if result in ("OK", "EXPECTEDFAIL") else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv))
