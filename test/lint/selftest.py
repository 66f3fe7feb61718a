#!/usr/bin/env python3
"""Each check finds the fault that it is there for, in a tree where the fault was planted.

A check that can't fail proves nothing: first the clean tree passes, then the fault is seen at its
place.
"""
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

import check_commits
import check_core_pure
import check_docs
import check_format
import check_layers
import check_size
import check_spelling
import check_tests
import check_words
import lint


class Planted(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name)

    def put(self, name: str, text: str) -> Path:
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        return path

    def clean(self, check) -> None:
        self.assertEqual(self.run_check(check), [])

    def found(self, check, *parts: str) -> None:
        findings = self.run_check(check)
        self.assertEqual(len(findings), 1, findings)
        for part in parts:
            self.assertIn(part, findings[0])

    def run_check(self, check) -> list[str]:
        try:
            return check.check(self.root)
        except lint.Skip as skip:
            self.skipTest(str(skip))


class Layers(Planted):
    def setUp(self) -> None:
        super().setUp()
        self.put("src/layers.txt", "base\ncore base\nwire base core <jansson.h> # comment\n")
        self.put("src/core/own.h", "")
        self.put("src/core/fit.c", '#include "shikiri/base/str.h"\n#include "own.h"\n#include <string.h>\n')
        self.put("src/wire/json.c", "#include <jansson.h>\n/* #include <sqlite3.h> */\n")

    def test_upward_include(self) -> None:
        self.clean(check_layers)
        self.put("include/shikiri/core/fit.h", '\n#include "shikiri/wire/json.h"\n')
        self.found(check_layers, "include/shikiri/core/fit.h:2:", "core may not look into wire")

    def test_library_away_from_home(self) -> None:
        self.put("src/core/fit.c", "#  include <jansson.h>\n")
        self.found(check_layers, "src/core/fit.c:1:", "<jansson.h>")

    def test_reaching_into_another_folder(self) -> None:
        self.put("src/core/fit.c", '#include "../wire/private.h"\n')
        self.found(check_layers, "src/core/fit.c:1:", "out of its folder")

    def test_cycle_in_the_table(self) -> None:
        self.put("src/layers.txt", "base\ncore base wire\nwire base core <jansson.h>\n")
        self.found(check_layers, "layers.txt:2:", "core names wire")

    def test_folder_without_a_line(self) -> None:
        self.put("src/extra/a.c", "int a;\n")
        self.found(check_layers, "src/extra/a.c", "no line")


class CorePure(Planted):
    def archive(self, code: str) -> str:
        compiler = shutil.which("cc") or shutil.which("gcc") or "clang-14"
        source = self.put("a.c", code)
        subprocess.run([compiler, "-c", source.name, "-o", "a.o"], cwd=self.root, check=True)
        subprocess.run(["ar", "rcs", "a.a", "a.o"], cwd=self.root, check=True)
        return str(self.root / "a.a")

    def test_clock(self) -> None:
        pure = "#include <string.h>\nint f(const char *a);\nint f(const char *a)\n{ return strcmp(a, \"b\"); }\n"
        self.assertEqual(check_core_pure.check_archive(self.archive(pure)), [])
        impure = "#include <time.h>\nlong f(void);\nlong f(void)\n{ return (long)time(0); }\n"
        findings = check_core_pure.check_archive(self.archive(impure))
        self.assertEqual([f.rsplit(" ", 1)[1] for f in findings], ["time"])

    def test_heap_and_log(self) -> None:
        code = "#include <stdlib.h>\nvoid shk_log(void);\nvoid *f(void);\nvoid *f(void)\n{ shk_log(); return malloc(9); }\n"
        findings = check_core_pure.check_archive(self.archive(code))
        self.assertEqual([f.rsplit(" ", 1)[1] for f in findings], ["malloc", "shk_log"])


class Size(Planted):
    def test_long_function(self) -> None:
        self.put("src/core/a.c", "int f(void)\n{\n" + "\t;\n" * 76 + "\treturn 0;\n}\n")
        self.clean(check_size)
        self.put("src/core/a.c", "int f(void)\n{\n" + "\t;\n" * 77 + "\treturn 0;\n}\n")
        self.found(check_size, "src/core/a.c:1:", "f has 81 lines")

    def test_long_file(self) -> None:
        self.put("src/core/a.h", "/* */\n" * 801)
        self.found(check_size, "src/core/a.h", "801 lines")

    def test_long_main(self) -> None:
        self.put("cmd/shikirid/main.c", "\n" * 201)
        self.found(check_size, "cmd/shikirid/main.c", "at most 200")

    def test_large_core(self) -> None:
        for i in range(5):
            self.put(f"src/core/f{i}.c", "/* comment */\n\nint a;\n" * 250)
        self.clean(check_size)
        for i in range(5):
            self.put(f"src/core/g{i}.c", "int a;\n" * 500)
        self.found(check_size, "src/core: 3750 lines of code")


class Format(Planted):
    def test_unformatted_line(self) -> None:
        shutil.copy(lint.TOP / ".clang-format", self.root)
        self.put("src/a.c", "int f(void)\n{\n\treturn 0;\n}\n")
        self.clean(check_format)
        self.put("src/a.c", "int f(void)\n{\n    return 0;\n}\n")
        self.found(check_format, "src/a.c:3: not formatted".replace(":3:", ":2:"))


class Tests(Planted):
    C = "static void {name}(void **state)\n{{\n\t{body}\n}}\n"

    def test_c_test_without_assertion(self) -> None:
        helper = self.C.format(name="check_it", body="assert_int_equal(1, 1);")
        good = helper + self.C.format(name="test_a", body="check_it(state);")
        self.put("test/unit/test_a.c", good)
        self.clean(check_tests)
        self.put("test/unit/test_a.c", good + self.C.format(name="test_b", body="(void)state;"))
        self.found(check_tests, "test/unit/test_a.c:9:", "test_b asserts nothing")

    def test_assertion_in_a_comment(self) -> None:
        self.put("test/unit/test_a.c", self.C.format(name="test_a", body="/* assert_true(1); */"))
        self.found(check_tests, "test_a asserts nothing")

    def test_python_test_without_assertion(self) -> None:
        good = "def same(a):\n    assert a\n\n\ndef test_a():\n    same(1)\n"
        self.put("test/api/test_a.py", good)
        self.clean(check_tests)
        self.put("test/api/test_a.py", good + "\n\ndef test_b():\n    print('fine')\n")
        self.found(check_tests, "test/api/test_a.py:9:", "test_b")

    def test_skip_without_reason(self) -> None:
        test = "import pytest\n\n\n@pytest.mark.{mark}\ndef test_a():\n    assert True\n"
        self.put("test/api/test_a.py", test.format(mark='skip(reason="needs a GPU")'))
        self.clean(check_tests)
        self.put("test/api/test_a.py", test.format(mark="skip"))
        self.found(check_tests, "test/api/test_a.py:4:", "without a reason")
        self.put("test/api/test_a.py", test.format(mark="skip()"))
        self.found(check_tests, "test/api/test_a.py:4:", "without a reason")


class Words(Planted):
    def test_each_rule(self) -> None:
        self.put("README.md", "TO" + "DO(kim): weigh this\n")
        self.clean(check_words)
        for text in ("see ../" + "shared/design.md", "TO" + "DO: later", "as in issue" + " #12",
                     "pip install from py" + "pi.org", "ask the issue" + " tracker"):
            with self.subTest(text=text):
                self.put("docs/a.md", "fine\n" + text + "\n")
                self.found(check_words, "docs/a.md:2:")


class Commits(Planted):
    def commit(self, message: str) -> None:
        git = ["git", "-C", str(self.root), "-c", "user.name=a", "-c", "user.email=a@example.org"]
        if not (self.root / ".git").exists():
            subprocess.run(["git", "init", "-q", str(self.root)], check=True)
        subprocess.run([*git, "commit", "-q", "--allow-empty", "-m", message], check=True)

    def test_good_then_bad(self) -> None:
        self.commit("core: refuse profiles without weight\n\nThey used to count as nothing.")
        self.clean(check_commits)
        self.commit("core: refuse profiles without weight")
        self.found(check_commits, "no body")

    def test_subjects(self) -> None:
        self.assertIsNone(check_commits.judge("core: refuse", "why"))
        for subject in ("refuse profiles", "core: refuse.", "core: added a check", "core: " + "x" * 80):
            with self.subTest(subject=subject):
                self.assertIsNotNone(check_commits.judge(subject, "why"))


class Docs(Planted):
    """On a copy of the real tables and pages, so that their form is what is tested."""

    def setUp(self) -> None:
        super().setUp()
        for name in ("docs/reference", "src", "include", "cmd", "policies"):
            shutil.copytree(lint.TOP / name, self.root / name)
        self.before = set(self.run_check(check_docs))

    def edit(self, name: str, old: str, new: str) -> None:
        path = self.root / name
        if not path.is_file():
            self.skipTest(f"{name} does not exist yet")
        text = path.read_text(encoding="utf-8")
        self.assertIn(old, text)
        path.write_text(text.replace(old, new, 1), encoding="utf-8")

    def new(self, *parts: str) -> None:
        findings = sorted(set(self.run_check(check_docs)) - self.before)
        self.assertTrue(findings)
        for part in parts:
            self.assertTrue(any(part in finding for finding in findings), (part, findings))

    def test_reason_without_a_section(self) -> None:
        self.edit("docs/reference/reasons.md", "## PoolLimit", "## PoolLimits")
        self.new("reason code PoolLimit is missing", "PoolLimits is not in the code")

    def test_reason_of_another_class(self) -> None:
        self.edit("include/shikiri/core/reason.h", '"CardsBusy", RESOLVABLE', '"CardsBusy", UNRESOLVABLE')
        self.new("CardsBusy lacks 'Class U,'")

    def test_reason_with_another_text(self) -> None:
        self.edit("include/shikiri/core/reason.h", '"the tenant is suspended"', '"tenant is suspended"')
        self.new("TenantSuspended: tenant is suspended")

    def test_flag_and_key(self) -> None:
        self.edit("src/app/config.c", '{"--ledger", "ledger",', '{"--account-book", "accountBook",')
        self.new("flag --account-book is missing", "key ledger is not in the code")

    def test_policy_key(self) -> None:
        self.edit("policies/default.yaml", "  holds: {ttl: 30s,", "  holds: {time: 30s,")
        self.new("policy key holds.time is missing", "policy key holds.ttl is not in the code")

    def test_field_of_a_document(self) -> None:
        self.edit("docs/reference/documents.md", "| `suspended` |", "| `paused` |")
        self.new("field suspended is missing", "field paused is not in the code")

    def test_metric(self) -> None:
        self.edit("docs/reference/metrics.md", "`shikiri_ledger_commands_total` |", "commands |")
        self.new("metric shikiri_ledger_commands_total is missing")

    def test_metric_of_two_files(self) -> None:
        self.put("src/app/again.c", 'const char *a = "shikiri_ledger_commands_total";\n')
        self.new("shikiri_ledger_commands_total is written by")

    def test_route(self) -> None:
        self.edit("src/http/routes.c", '"/quotas"', '"/limits"')
        self.new("route GET /limits is missing", "GET /quotas is not in the code")

    def test_parameter_of_a_route(self) -> None:
        self.edit("src/http/routes.c", '"prune|dryRun"', '"prune|dryRun|force"')
        self.new("lacks its parameter `force`")


class Spelling(Planted):
    def test_misspelt_word(self) -> None:
        self.put("README.md", "The slices are separate.\n")
        self.clean(check_spelling)
        self.put("README.md", "The slices are sep" + "erate.\n")
        self.found(check_spelling, "README.md:1:", "separate")


if __name__ == "__main__":
    unittest.main()
