"""What the checks share: the tree, its files, and how findings are told.

A check is a function from the top of a tree to findings, one line each, "path:line: what is
wrong". An empty list is a pass. selftest.py runs the same functions on trees with planted faults.
"""
import argparse
import json
import os
import re
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

TOP = Path(__file__).resolve().parents[2]
SKIP = 77  # what meson takes for "skipped"
SOURCES = ("src", "include", "cmd")
IGNORED = {".git", "__pycache__", ".pytest_cache", ".venv", "node_modules"}


class Skip(Exception):
    """The check can't run here; the text says why."""


def files(root: Path, suffixes: tuple[str, ...] = ("",), under: tuple[str, ...] = ("",)) -> Iterator[Path]:
    """Files in the tree, sorted, without build folders and caches."""
    found = set()
    for start in under:
        for folder, folders, names in os.walk(root / start):
            top = Path(folder) == root
            folders[:] = [f for f in folders
                          if f not in IGNORED and not (top and f.startswith("build"))]
            found.update(Path(folder) / n for n in names if n.endswith(suffixes))
    yield from sorted(p for p in found if p.is_file())


def text(path: Path) -> str:
    return path.read_text(encoding="utf-8", errors="replace")


def line_of(whole: str, offset: int) -> int:
    return whole.count("\n", 0, offset) + 1


def without_comments(code: str) -> str:
    """C source with comments blanked out, lines kept."""
    pattern = r'"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'|/\*.*?\*/|//[^\n]*'

    def blank(match: re.Match) -> str:
        found = match[0]
        return re.sub(r"[^\n]", " ", found) if found[0] == "/" else found

    return re.sub(pattern, blank, code, flags=re.S)


def product(build: Path) -> list[dict]:
    """The compile commands of src and cmd in a build directory, one a file, with plain paths."""
    tops = (f"{TOP}/src/", f"{TOP}/cmd/")
    found: dict[str, dict] = {}
    for command in json.loads(text(build / "compile_commands.json")):
        command["file"] = str((Path(command["directory"]) / command["file"]).resolve())
        if command["file"].startswith(tops):
            found.setdefault(command["file"], command)
    return list(found.values())


def main(check: Callable[[Path], list[str]]) -> None:
    """Runs one check from the command line and exits 0, 1 or 77."""
    parser = argparse.ArgumentParser(description=sys.modules[check.__module__].__doc__)
    parser.add_argument("--root", type=Path, default=TOP, help="top of the tree")
    root = parser.parse_args().root.resolve()
    try:
        findings = check(root)
    except Skip as skip:
        print(f"skipped: {skip}")
        sys.exit(SKIP)
    for finding in findings:
        print(finding)
    print(f"{len(findings)} findings" if findings else "nothing to report")
    sys.exit(bool(findings))
