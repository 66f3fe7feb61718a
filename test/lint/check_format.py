#!/usr/bin/env python3
"""C sources are as clang-format 14 writes them. To repair: clang-format-14 -i FILE..."""
import re
import shutil
import subprocess
from pathlib import Path

import lint


def tool() -> str:
    if shutil.which("clang-format-14"):
        return "clang-format-14"
    raise lint.Skip("clang-format-14 is missing (package clang-format-14)")


def check(root: Path) -> list[str]:
    paths = [str(p) for p in lint.files(root, (".c", ".h"))]
    if not paths:
        return []
    run = subprocess.run([tool(), "--dry-run", "--style=file", *paths],
                         capture_output=True, text=True, check=False)
    first: dict[str, str] = {}
    for path, line in re.findall(r"^(.+?):(\d+):\d+: (?:warning|error): ", run.stderr, re.M):
        first.setdefault(path, line)
    findings = [f"{Path(p).relative_to(root)}:{line}: not formatted" for p, line in first.items()]
    if run.returncode != 0 and not findings:
        findings.append(f"clang-format failed: {run.stderr.strip()[:300]}")
    return findings


if __name__ == "__main__":
    lint.main(check)
