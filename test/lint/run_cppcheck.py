#!/usr/bin/env python3
"""cppcheck over the product's sources, as a build directory compiles them.

    run_cppcheck.py BUILD-DIR
"""
import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import lint

OPTIONS = ["--enable=warning,style,performance,portability", "--inline-suppr", "--quiet",
           "--error-exitcode=1", "--suppress=missingIncludeSystem", "--std=c11",
           "--template={file}:{line}: {severity}: {message} [{id}]"]
# Callbacks can't choose their parameters' types; NULL is the documented end of an argument list;
# buffers stand first in their function; and that ret_ parameters are written exactly on SHK_OK is
# beyond cppcheck (clang-tidy's analyzer follows it).
NOT_FOR_US = ["constParameterCallback", "legacyUninitvar", "uninitStructMember",
              "unmatchedSuppression", "varFuncNullUB", "variableScope"]


def main() -> int:
    if len(sys.argv) != 2:
        sys.exit("usage: run_cppcheck.py BUILD-DIR")
    if not shutil.which("cppcheck"):
        print("skipped: cppcheck is missing (package cppcheck)")
        return lint.SKIP
    with tempfile.TemporaryDirectory() as folder:
        project = Path(folder, "compile_commands.json")
        project.write_text(json.dumps(lint.product(Path(sys.argv[1]))), encoding="utf-8")
        run = subprocess.run(
            ["cppcheck", f"--project={project}", f"-j{os.cpu_count()}", *OPTIONS,
             *(f"--suppress={name}" for name in NOT_FOR_US)], check=False)
    print("nothing to report" if run.returncode == 0 else "see above", flush=True)
    return run.returncode


if __name__ == "__main__":
    sys.exit(main())
