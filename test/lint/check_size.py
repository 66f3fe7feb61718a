#!/usr/bin/env python3
"""No function, file or module grows past what a reader can hold.

The core is measured by what stands in src/core, without blank lines and comments.
"""
import re
import shutil
import subprocess
from pathlib import Path

import lint

FUNCTION_LINES = 80
FILE_LINES = 800
CORE_CODE_LINES = 3500
SPECIAL = {"meson.build": 120, "cmd/shikirid/main.c": 200, "cmd/shikirictl/main.c": 200}


def tool() -> str:
    for name in ("ctags-universal", "ctags"):
        if shutil.which(name):
            return name
    raise lint.Skip("ctags is missing (package universal-ctags)")


def functions(root: Path, paths: list[Path]) -> list[tuple[str, str, int, int]]:
    """(path, name, first line, last line) of every function."""
    listing = "\n".join(str(p.relative_to(root)) for p in paths)
    out = subprocess.run(
        [tool(), "--languages=C", "--langmap=C:.c.h", "--kinds-C=f", "--fields=+ne", "-f", "-",
         "--excmd=number", "-L", "-"],
        input=listing, capture_output=True, text=True, check=True, cwd=root).stdout
    rows = re.findall(r"^(\S+)\t([^\t]+)\t(\d+);\"\t.*?\bend:(\d+)", out, re.M)
    return [(path, name, int(first), int(last)) for name, path, first, last in rows]


def code_lines(path: Path) -> int:
    return sum(1 for line in lint.without_comments(lint.text(path)).splitlines() if line.strip())


def check(root: Path) -> list[str]:
    paths = list(lint.files(root, (".c", ".h"), lint.SOURCES))
    findings = [f"{path}:{first}: {name} has {last - first + 1} lines, at most {FUNCTION_LINES}"
                for path, name, first, last in functions(root, paths)
                if last - first + 1 > FUNCTION_LINES]

    special = {root / name: most for name, most in SPECIAL.items() if (root / name).is_file()}
    for path in sorted({*paths, *special}):
        lines = len(lint.text(path).splitlines())
        most = special.get(path, FILE_LINES)
        if lines > most:
            findings.append(f"{path.relative_to(root)}:{lines}: {lines} lines, at most {most}")

    core = [p for p in paths if p.parent == root / "src/core"]
    total = sum(code_lines(p) for p in core)
    if total > CORE_CODE_LINES:
        findings.append(f"src/core: {total} lines of code in all, at most {CORE_CODE_LINES}")
    return findings


if __name__ == "__main__":
    lint.main(check)
