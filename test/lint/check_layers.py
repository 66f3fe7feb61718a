#!/usr/bin/env python3
"""Every #include keeps to src/layers.txt: who may look into whom, and where a library lives."""
import re
from pathlib import Path

import lint

INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*([<"])([^>"\n]+)[>"]', re.M)


class Layers:
    def __init__(self, table: Path):
        self.sees: dict[str, set[str]] = {}
        self.libraries: dict[str, set[str]] = {}
        self.faults: list[str] = []
        for number, line in enumerate(lint.text(table).splitlines(), 1):
            words = line.split("#")[0].split()
            if words:
                self.add(f"{table.name}:{number}", words[0], words[1:])

    def add(self, place: str, module: str, words: list[str]) -> None:
        libraries = {w[1:-1] for w in words if w.startswith("<")}
        modules = {w for w in words if not w.startswith("<")}
        # A line may only name modules above it, so there can be no cycle.
        for late in sorted(modules - set(self.sees)):
            self.faults.append(f"{place}: {module} names {late}, which no line above defines")
        self.sees[module] = modules | {module}
        self.libraries[module] = libraries

    def guarded(self) -> set[str]:
        return set().union(*self.libraries.values())


def module_of(path: Path) -> str:
    """src/core/fit.c and include/shikiri/core/fit.h are both core."""
    parts = path.parts
    return parts[2] if parts[0] == "include" else parts[1]


def judge(layers: Layers, root: Path, path: Path, mark: str, header: str) -> str | None:
    module = module_of(path)
    if header.startswith("shikiri/"):
        owner = header.split("/")[1]
        if owner not in layers.sees[module]:
            return f"{module} may not look into {owner} ({header})"
    elif mark == '"':
        generated = header == "version.h"
        if "/" in header or not (generated or (root / path.parent / header).is_file()):
            return f"reaches out of its folder ({header})"
    elif header in layers.guarded() - layers.libraries[module]:
        return f"<{header}> has another home than {module}"
    return None


def check(root: Path) -> list[str]:
    layers = Layers(root / "src/layers.txt")
    findings = list(layers.faults)
    for absolute in lint.files(root, (".c", ".h"), ("src", "include/shikiri", "cmd")):
        path = absolute.relative_to(root)
        if module_of(path) not in layers.sees:
            findings.append(f"{path}: {module_of(path)} has no line in src/layers.txt")
            continue
        code = lint.without_comments(lint.text(absolute))
        for match in INCLUDE.finditer(code):
            if fault := judge(layers, root, path, match[1], match[2]):
                findings.append(f"{path}:{lint.line_of(code, match.start())}: {fault}")
    return findings


if __name__ == "__main__":
    lint.main(check)
