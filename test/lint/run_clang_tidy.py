#!/usr/bin/env python3
"""clang-tidy 14 over the product's sources. Wants a build directory that was set up with clang:
on one of gcc's, every warning flag that clang doesn't know is an error. The tests are written to
another measure and left out.

    run_clang_tidy.py BUILD-DIR
"""
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import lint


def main() -> int:
    if len(sys.argv) != 2:
        sys.exit("usage: run_clang_tidy.py BUILD-DIR")
    if not shutil.which("clang-tidy-14"):
        print("skipped: clang-tidy-14 is missing (package clang-tidy-14)")
        return lint.SKIP
    with tempfile.TemporaryDirectory() as folder:
        project = Path(folder, "compile_commands.json")
        project.write_text(json.dumps(lint.product(Path(sys.argv[1]))), encoding="utf-8")
        run = subprocess.run(
            ["run-clang-tidy-14", "-quiet", "-p", folder, f"-j{os.cpu_count()}"],
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, check=False)
    plain = re.sub(r"\x1b\[[0-9;]*m", "", run.stdout)
    findings = sorted({line.replace(f"{lint.TOP}/", "") for line in plain.splitlines()
                       if ": error: " in line or ": warning: " in line})
    print("\n".join(findings) or (plain[-2000:] if run.returncode else "nothing to report"))
    return run.returncode or bool(findings)


if __name__ == "__main__":
    sys.exit(main())
