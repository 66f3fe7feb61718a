#!/usr/bin/env python3
"""The last commits read well: "module: imperative subject", and a body that says why."""
import re
import subprocess
from pathlib import Path

import lint

COMMITS = 20
SUBJECT_LENGTH = 72
SUBJECT = re.compile(r"[a-z][a-z0-9/_.,-]*: \S.*[^.]")
NOT_IMPERATIVE = re.compile(r"(?:add|fix|chang|remov|updat|mov|renam|mak|us)(?:ed|es|ing)\b", re.I)


def judge(subject: str, body: str) -> str | None:
    if not SUBJECT.fullmatch(subject):
        return "wanted 'module: imperative subject' without a final stop"
    if len(subject) > SUBJECT_LENGTH:
        return f"{len(subject)} characters, at most {SUBJECT_LENGTH}"
    if NOT_IMPERATIVE.match(subject.split(": ", 1)[1]):
        return "not imperative"
    if not body.strip():
        return "no body: say what was wrong or missing, and why this way"
    return None


def check(root: Path) -> list[str]:
    if not (root / ".git").exists():
        raise lint.Skip("no git history here")
    log = subprocess.run(
        ["git", "-C", str(root), "log", "--no-merges", f"-{COMMITS}", "--format=%h%x00%s%x00%b%x01"],
        capture_output=True, text=True, check=False)
    if log.returncode != 0:
        raise lint.Skip("no commits yet")
    findings = []
    for entry in log.stdout.split("\x01"):
        if entry.strip():
            commit, subject, body = entry.strip("\n").split("\x00")
            if fault := judge(subject, body):
                findings.append(f"{commit}: {subject}: {fault}")
    return findings


if __name__ == "__main__":
    lint.main(check)
