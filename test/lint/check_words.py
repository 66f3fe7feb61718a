#!/usr/bin/env python3
"""No text in the tree points outside it: no private paths, nameless TODOs, registry hosts."""
import re
from pathlib import Path

import lint

# Written so that this file doesn't contain what it looks for.
HOSTS = ("py" + "pi.org", "python" + "hosted.org", "npm" + "js.org", "npm" + "js.com",
         "crates" + ".io", "ruby" + "gems.org", "proxy.go" + "lang.org", "deb." + "debian.org",
         "repo.maven" + ".apache.org", "conda" + ".anaconda.org")
RULES = (
    (r"\.\./" + r"shared\b|/work/" + r"(?:shared|main|\.)", "a path of somebody's machine"),
    (r"(?i)\bissue" + r" tracker\b|\bissue" + r" #?\d+\b", "points to an issue, says nothing itself"),
    (r"\b(?:TO" + r"DO|FIX" + r"ME|XX" + r"X)\b(?!\(\w+\): \S)", "wanted TO" + "DO(name): what"),
    (r"(?i)\b(?:" + "|".join(re.escape(h) for h in HOSTS) + r")\b", "names a package registry's host"),
)
BINARY = (".png", ".ico", ".db", ".gz", ".woff2", ".svg")


def check(root: Path) -> list[str]:
    findings = []
    for path in lint.files(root):
        if path.suffix in BINARY or "corpus" in path.parts:
            continue
        for number, line in enumerate(lint.text(path).splitlines(), 1):
            findings += [f"{path.relative_to(root)}:{number}: {why}: {found[0]}"
                         for pattern, why in RULES if (found := re.search(pattern, line))]
    return findings


if __name__ == "__main__":
    lint.main(check)
