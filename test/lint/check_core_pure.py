#!/usr/bin/env python3
"""The decision core links to nothing impure: no I/O, clock, randomness, locks, heap, environment.

    check_core_pure.py LIBCORE.A...

Looks at what the object code needs from outside, so a call behind a macro is seen too. Works on
builds with sanitizers and coverage.
"""
import re
import subprocess
import sys

MEMORY = r"mem(?:cpy|set|cmp|move|chr)"
STRINGS = r"str(?:n?cmp|n?len|r?chr|spn|cspn|str)"
OTHER = r"qsort|bsearch|v?snprintf|abort|__assert_fail"
COMPILER = (r"__(?:mem|str|v?snprintf)\w*_chk|__stack_chk_fail|_GLOBAL_OFFSET_TABLE_"
            r"|__(?:a|ub|t)san_\w+|__gcov_\w+|__(?:u?div|u?mod|mul)ti3|__sanitizer_\w+|__muloti4")
ALLOWED = re.compile(rf"shk_\w+|{MEMORY}|{STRINGS}|{OTHER}|{COMPILER}")
# Of base, what allocates for itself, waits, logs or looks at the world.
IMPURE = re.compile(r"shk_(?:clock|log|metric|buf|file|sleep|thread)\w*")


def needs(archive: str) -> set[str]:
    out = subprocess.run(["nm", "-u", archive], capture_output=True, text=True, check=True).stdout
    return set(re.findall(r"^ +[Uw] (\S+)", out, re.M))


def check_archive(archive: str) -> list[str]:
    return [f"{archive}: the core needs {symbol}" for symbol in sorted(needs(archive))
            if not ALLOWED.fullmatch(symbol) or IMPURE.fullmatch(symbol)]


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit("usage: check_core_pure.py LIBCORE.A...")
    found = [finding for archive in sys.argv[1:] for finding in check_archive(archive)]
    print("\n".join(found) or "the core is pure")
    sys.exit(bool(found))
