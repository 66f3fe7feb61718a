#!/usr/bin/env python3
"""No word that codespell knows to be misspelt."""
import shutil
import subprocess
from pathlib import Path

import lint

# Words of ours that codespell takes for others.
OURS = "aks,ans,bund,fo,hist,nd,ot,te,updat,upto,wieght"


def check(root: Path) -> list[str]:
    if not shutil.which("codespell"):
        raise lint.Skip("codespell is missing (package codespell)")
    paths = [str(p.relative_to(root)) for p in lint.files(root)
             if "corpus" not in p.parts and p.suffix not in (".db", ".png", ".gz", ".svg")
             and p.name != "LICENSE"]
    if not paths:
        return []
    run = subprocess.run(["codespell", "--ignore-words-list", OURS, *paths],
                         capture_output=True, text=True, check=False, cwd=root)
    return [line for line in run.stdout.splitlines() if "==>" in line]


if __name__ == "__main__":
    lint.main(check)
