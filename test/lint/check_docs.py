#!/usr/bin/env python3
"""docs/reference says what the tables in the code say, both ways: reason codes, flags and keys,
fields of policy and documents, metrics, routes, verbs and options of the CLI.

The code's tables are read by eye, so to speak: with regular expressions that know how each table
is written. A table that can't be found although its file exists is a finding, not a pass.
"""
import re
from collections.abc import Iterable
from pathlib import Path

import lint

STRING = r'"(?:\\.|[^"\\])*"'
REFERENCE = "docs/reference"


def code(root: Path, name: str) -> str | None:
    path = root / name
    if not path.is_file():
        return None
    return lint.without_comments(lint.text(path)).replace("\\\n", "\n")


def page(root: Path, name: str) -> str:
    path = root / REFERENCE / name
    return lint.text(path) if path.is_file() else ""


def joined(literals: str) -> str:
    """The text of adjacent string literals."""
    return "".join(s[1:-1] for s in re.findall(STRING, literals)).replace('\\"', '"')


def compare(page_name: str, what: str, coded: Iterable[str], told: Iterable[str]) -> list[str]:
    coded, told = set(coded), set(told)
    place = f"{REFERENCE}/{page_name}"
    findings = [f"{place}: {what} {name} is missing" for name in sorted(coded - told)]
    findings += [f"{place}: {what} {name} is not in the code" for name in sorted(told - coded)]
    if not coded:
        findings.append(f"{place}: no {what} found in the code; has its table another form now?")
    return findings


# --- reason codes ----------------------------------------------------------------------------

OUTCOMES = {"REJECTED": "Rejected", "NO_FIT": "NoFit", "QUOTA_EXCEEDED": "QuotaExceeded",
            "INVALID": "Invalid"}
CLASSES = {"UNRESOLVABLE": "U", "RESOLVABLE": "F"}
REASON = re.compile(rf'X\(\w+,\s*"(\w+)",\s*(\w+),\s*(\w+),\s*(?:true|false),\s*((?:{STRING}\s*)+),')
BIND_PART = "# Codes of bind alone"


def reasons(root: Path) -> list[str]:
    source = code(root, "include/shikiri/core/reason.h")
    if source is None:
        return []
    rows = [(c, CLASSES.get(k, k), OUTCOMES.get(o, o), joined(s))
            for c, k, o, s in REASON.findall(source)]
    text = page(root, "reasons.md").split(BIND_PART)[0]
    sections = dict(re.findall(r"^## (\w+)\n(.*?)(?=^## |\Z)", text, re.M | re.S))
    findings = compare("reasons.md", "reason code", [row[0] for row in rows], sections)
    for name, kind, outcome, sentence in rows:
        for wanted in (f"Class {kind},", f"dry run {outcome},", f"`{name}: {sentence}`"):
            if name in sections and wanted not in sections[name]:
                findings.append(f"{REFERENCE}/reasons.md: {name} lacks '{wanted}'")
    order = [name for name in dict.fromkeys(row[0] for row in rows) if name in sections]
    if not findings and list(sections) != order:
        findings.append(f"{REFERENCE}/reasons.md: sections are not in the order of the checks")
    return findings


def bind_codes(root: Path) -> list[str]:
    """The page's bind codes must be written somewhere in the code; CamelCase codes that bind
    writes with a sentence must be on the page."""
    told = re.findall(r"^## (\w+)", page(root, "reasons.md").partition(BIND_PART)[2], re.M)
    sources = [lint.text(p) for p in lint.files(root, (".c", ".h"), ("src", "include"))]
    if not told or not any("BindInProgress" in s for s in sources):
        return []
    return [f"{REFERENCE}/reasons.md: {name} is written nowhere in the code" for name in told
            if not any(f'"{name}' in s for s in sources)]


# --- configuration ---------------------------------------------------------------------------


def configuration(root: Path) -> list[str]:
    source = code(root, "src/app/config.c")
    if source is None:
        return []
    rows = re.findall(r'\{"(--[a-z-]+)",\s*(?:"(\w+)"|NULL),\s*SETTING_\w+', source)
    table = page(root, "configuration.md").partition("## Flags and keys")[2].partition("\n## ")[0]
    told = re.findall(r"^\| `(--[a-z-]+)[^`]*`(?: °)? \| (?:`(\w+)`)? ?\|", table, re.M)
    findings = compare("configuration.md", "flag", [r[0] for r in rows], [t[0] for t in told])
    keys = {r[1] for r in rows if r[1]}
    return findings + compare("configuration.md", "key", keys, {t[1] for t in told if t[1]})


def policy_keys(root: Path) -> list[str]:
    """Leaf keys of the shipped default policy, as dotted paths under spec."""
    path = root / "policies/default.yaml"
    if not path.is_file():
        return []
    maps = {"units.modelFactors", "units.pricesPerHour", "packing.reserve"}
    keys, parents = set(), {}
    for line in lint.text(path).partition("\nspec:\n")[2].splitlines():
        match = re.match(r'( *)([\w-]+):(.*)', line.split(" #")[0])
        if not match:
            continue
        depth, value = len(match[1]) // 2, match[3].strip()
        parents[depth] = match[2]
        dotted = ".".join(parents[d] for d in range(1, depth + 1))
        if any(dotted.startswith(m + ".") for m in maps):
            continue
        inner = re.findall(r"(\w+):", value) if value.startswith("{") else []
        if value and not inner:
            keys.add(dotted)
        keys |= {f"{dotted}.{name}" for name in inner}
        if dotted in maps:
            keys.add(dotted)
    table = page(root, "configuration.md").partition("\n## Policy\n")[2].partition("\n## ")[0]
    told = re.findall(r"^\| `([\w.]+)` \|", table, re.M)
    return compare("configuration.md", "policy key", keys, told)


ENVELOPE = {"apiVersion", "kind", "metadata", "spec", "status", "items", "name", "labels", "uid",
            "resourceVersion", "creationTimestamp", "annotations"}


def document_fields(root: Path) -> list[str]:
    """Fields that the decoders of documents have in their tables."""
    others = ("policy.c", "configuration.c")
    sources = [lint.text(p) for p in lint.files(root, (".c",), ("src/wire",))
               if '#include "document.h"' in lint.text(p) and p.name not in others]
    if not sources:
        return []
    keys = {key for s in sources for key in re.findall(r'\{\s*\.key = "(\w+)"', s)}
    told = set(re.findall(r"^\| `(\w+)` \|", page(root, "documents.md"), re.M))
    return compare("documents.md", "field", keys - ENVELOPE, told)


# --- metrics, routes -------------------------------------------------------------------------


def metrics(root: Path) -> list[str]:
    if code(root, "include/shikiri/base/metrics.h") is None:
        return []
    homes: dict[str, list[str]] = {}
    for path in lint.files(root, (".c", ".h"), ("src", "include/shikiri")):
        for name in set(re.findall(r'"((?:shikiri|process)_[a-z0-9_]+)"', lint.text(path))):
            homes.setdefault(name, []).append(str(path.relative_to(root)))
    told = re.findall(r"^\| `((?:shikiri|process)_[a-z0-9_]+)` \|", page(root, "metrics.md"), re.M)
    # Prometheus refuses a page on which a metric stands twice.
    twice = [f"{places[0]}: {name} is written by {places[1]} too"
             for name, places in sorted(homes.items()) if len(places) > 1]
    return twice + compare("metrics.md", "metric", homes, told)


ROUTE = re.compile(r'^\s*(VERB|PROBE|READ|WRITE|EMULATE)\((?:"(\w+)",\s*)?"(/[^"]+)",\s*\w+'
                   r'(?:,\s*(?:"([^"]*)"|NULL))?', re.M)
METHODS = {"VERB": "POST", "PROBE": "GET", "READ": "GET"}


def routes(root: Path) -> list[str]:
    source = code(root, "src/http/routes.c")
    if source is None:
        return []
    found = [(f"{METHODS.get(kind, method)} {path}", query)
             for kind, method, path, query in ROUTE.findall(source)]
    text = page(root, "api.md")
    rows = dict(re.findall(r"^\| `([A-Z]+ /\S*)` \|(.*)", text, re.M))
    findings = compare("api.md", "route", [r[0] for r in found], rows)
    for route, query in found:
        findings += [f"{REFERENCE}/api.md: {route} lacks its parameter `{name}`"
                     for name in query.split("|")
                     if name and route in rows and f"`{name}`" not in rows[route]]
    return findings


# --- the CLI ---------------------------------------------------------------------------------


def command_line(root: Path) -> list[str]:
    folder = root / "cmd/shikirictl"
    sources = [code(root, str(p.relative_to(root))) or "" for p in lint.files(root, (".c",),
               ("cmd/shikirictl",))] if folder.is_dir() else []
    verbs = {name for s in sources for name in
             re.findall(r'struct cli_verb cli_verb_\w+ = \{\s*\.name = "([a-z-]+)"', s)}
    if not verbs:
        return []
    option = r'\{"([a-z][a-z-]*)",\s*(?:\'\w\'|0),\s*(?:"[^"]*"|NULL),'
    options = {"--" + name for s in sources for name in re.findall(option, s)}
    text = page(root, "cli.md")
    told_verbs = re.findall(r"^### ([a-z-]+)$", text, re.M)
    told_options = re.findall(r"^\| `(--[a-z-]+)[^`]*`", text, re.M)
    return (compare("cli.md", "verb", verbs, told_verbs)
            + compare("cli.md", "option", options, told_options))


def check(root: Path) -> list[str]:
    parts = (reasons, bind_codes, configuration, policy_keys, document_fields, metrics, routes,
             command_line)
    return [finding for part in parts for finding in part(root)]


if __name__ == "__main__":
    lint.main(check)
