#!/usr/bin/env python3
"""Every test asserts something, and none is skipped without saying why."""
import ast
import re
from pathlib import Path

import lint

DEFINITION = re.compile(r"^[A-Za-z_][\w \t*]*?\b(\w+)\([^;{}]*\)\s*\{(.*?)^\}", re.M | re.S)
MACRO = re.compile(r"^#define (\w+)\(.*?\)((?:.*\\\n)*.*)$", re.M)
C_ASSERT = re.compile(r"\b(?:assert_\w+|expect_\w+|fail(?:_msg)?)\s*\(")


# --- C: what is registered with cmocka, and whatever is called test_x --------------------------


def c_helpers(root: Path) -> set[str]:
    """Functions and macros of the test headers that assert, for all files to lean on."""
    helpers: set[str] = set()
    paths = {*lint.files(root, (".h",), ("test",)), *lint.files(root, (".c",), ("test/lib",))}
    for path in sorted(paths):
        helpers |= asserting(lint.without_comments(lint.text(path)), helpers)
    return helpers


def asserting(code: str, helpers: set[str]) -> set[str]:
    """Names in code whose bodies assert, directly or through one another."""
    bodies = dict(DEFINITION.findall(code))
    bodies.update(MACRO.findall(code))
    found = set(helpers) | {name for name, body in bodies.items() if C_ASSERT.search(body)}
    while True:
        more = {name for name, body in bodies.items()
                if name not in found and set(re.findall(r"\b(\w+)\s*\(", body)) & found}
        if not more:
            return found
        found |= more


def check_c(root: Path) -> list[str]:
    findings = []
    shared = c_helpers(root)
    for path in lint.files(root, (".c",), ("test",)):
        code = lint.without_comments(lint.text(path))
        good = asserting(code, shared)
        tests = set(re.findall(r"\bcmocka_unit_test\w*\(\s*(\w+)", code))
        for match in DEFINITION.finditer(code):
            place = f"{path.relative_to(root)}:{lint.line_of(code, match.start())}"
            if (match[1] in tests or match[1].startswith("test_")) and match[1] not in good:
                findings.append(f"{place}: {match[1]} asserts nothing")
        lines = lint.text(path).splitlines()
        for number, line in enumerate(lines, 1):
            if re.search(r"\bskip\(\)", line) and "/*" not in "".join(lines[max(0, number - 3):number]):
                findings.append(f"{path.relative_to(root)}:{number}: skip() without a comment why")
    return findings


# --- Python: def test_x --------------------------------------------------------------------


def called(node: ast.AST) -> str:
    target = node.func if isinstance(node, ast.Call) else node
    return target.attr if isinstance(target, ast.Attribute) else getattr(target, "id", "")


def asserts(function: ast.AST, helpers: set[str]) -> bool:
    for node in ast.walk(function):
        if isinstance(node, (ast.Assert, ast.Raise)):
            return True
        if isinstance(node, ast.Call) and (called(node) in helpers or called(node) in
                                           ("raises", "fail") or called(node).startswith("assert")):
            return True
    return False


def bare_skips(tree: ast.AST) -> list[int]:
    marks = [n for n in ast.walk(tree) if called(n) in ("skip", "skipif", "xfail")]
    reasoned = {id(c.func) for c in marks if isinstance(c, ast.Call) and
                (any(k.arg in ("reason", "msg") for k in c.keywords) or
                 (called(c) == "skip" and c.args))}
    return sorted({n.lineno for n in marks if not isinstance(n, ast.Call)
                   and isinstance(n, ast.Attribute) and id(n) not in reasoned})


def check_python(root: Path) -> list[str]:
    findings = []
    trees = {p: ast.parse(lint.text(p)) for p in lint.files(root, (".py",), ("test",))}
    functions = [n for t in trees.values() for n in ast.walk(t)
                 if isinstance(n, (ast.FunctionDef, ast.AsyncFunctionDef))]
    helpers = {f.name for f in functions if not f.name.startswith("test") and asserts(f, set())}
    for path, tree in trees.items():
        name = path.relative_to(root)
        for node in ast.walk(tree):
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) and \
                    node.name.startswith("test_") and not asserts(node, helpers):
                findings.append(f"{name}:{node.lineno}: {node.name} asserts nothing")
        findings += [f"{name}:{line}: skipped without a reason" for line in bare_skips(tree)]
    return findings


def check(root: Path) -> list[str]:
    return check_c(root) + check_python(root)


if __name__ == "__main__":
    lint.main(check)
