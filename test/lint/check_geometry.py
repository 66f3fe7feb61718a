#!/usr/bin/env python3
"""The shipped geometry table is taken, and tables that can't be true are refused at their line."""
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import lint

SCRIPT = lint.TOP / "policies/geometry.py"
TABLE = lint.TOP / "policies/mig-geometry.yaml"


def generate(text: str) -> tuple[int, str, str]:
    """(exit status, stderr, C source)"""
    with tempfile.TemporaryDirectory() as folder:
        source, target = Path(folder, "table.yaml"), Path(folder, "table.c")
        source.write_text(text, encoding="utf-8")
        run = subprocess.run([sys.executable, SCRIPT, source, target],
                             capture_output=True, text=True, check=False)
        return run.returncode, run.stderr, target.read_text() if target.exists() else ""


class Geometry(unittest.TestCase):
    def setUp(self) -> None:
        self.lines = TABLE.read_text(encoding="utf-8").splitlines()

    def at(self, wanted: str, nth: int = 1) -> int:
        """The index of the nth line that contains the text."""
        return [i for i, line in enumerate(self.lines) if wanted in line][nth - 1]

    def refused(self, index: int, why: str) -> None:
        status, stderr, source = generate("\n".join(self.lines) + "\n")
        self.assertEqual(status, 65, stderr)
        self.assertIn(f"table.yaml:{index + 1}: error: ", stderr)
        self.assertIn(why, stderr)
        self.assertEqual(source, "")

    def mutate(self, wanted: str, old: str, new: str, why: str, nth: int = 1) -> None:
        index = self.at(wanted, nth)
        self.assertIn(old, self.lines[index])
        self.lines[index] = self.lines[index].replace(old, new)
        self.refused(index, why)

    def test_shipped_table_has_all_products_and_profiles(self) -> None:
        status, stderr, source = generate("\n".join(self.lines) + "\n")
        self.assertEqual((status, stderr), (0, ""))
        self.assertIn("const size_t shk_n_products = 20;", source)
        self.assertEqual(source.count("UINT32_C("), 130)

    def test_start_past_the_end(self) -> None:
        self.mutate("name: 3g.40gb", "[0, 4]", "[0, 5]", "passes the end")

    def test_start_twice(self) -> None:
        self.mutate("name: 1g.5gb,", "[0, 1, 2, 3, 4, 5, 6]", "[0, 1, 1, 3, 4, 5, 6]", "twice")

    def test_starts_out_of_order(self) -> None:
        self.mutate("name: 2g.12gb,", "[0, 2]", "[2, 0]", "order")

    def test_too_many_slices(self) -> None:
        self.mutate("name: 7g.80gb", "compute: 7", "compute: 8", "with compute: 8")
        self.setUp()
        index = self.at("name: 7g.80gb")
        self.lines[index] = self.lines[index].replace("7g.", "8g.").replace("compute: 7", "compute: 8")
        self.refused(index, "8 compute slices")

    def test_too_many_instances_for_the_memory(self) -> None:
        self.mutate("name: 1g.20gb", "max: 4", "max: 5", "side by side")

    def test_too_many_instances_for_the_compute(self) -> None:
        self.mutate("name: 1g.12gb-me", "max: 3", "max: 5", "compute slices")

    def test_memory_that_is_not_the_share_of_the_card(self) -> None:
        self.mutate("name: 2g.20gb", "2g.20gb", "2g.21gb", "its share")

    def test_profile_twice(self) -> None:
        index = self.at("name: 4g.24gb")
        self.lines.insert(index, self.lines[index])
        self.refused(index + 1, "twice")

    def test_product_twice(self) -> None:
        self.mutate("id: A100-80GB", "A100-80GB", "A100-40GB", "twice")

    def test_label_of_two_products(self) -> None:
        first = self.at("- NVIDIA-H200-NVL")
        self.lines[first] = self.lines[first].replace("NVIDIA-H200-NVL", "NVIDIA-B200")
        self.refused(self.at("- NVIDIA-B200", nth=2), "already belongs to H200-141GB")

    def test_spelling_of_the_driver(self) -> None:
        self.mutate("name: 1g.5gb.me", "1g.5gb.me", "1g.5gb+me", "'+' is written '.'")

    def test_unknown_is_not_zero(self) -> None:
        self.mutate("memoryUnits: 8", "8", "0", "above 0 or null")

    def test_units_without_starts(self) -> None:
        self.mutate("name: 1g.16gb", "units: null", "units: 1", "known together")

    def test_missing_key(self) -> None:
        index = self.at("id: A30-24GB")
        del self.lines[self.at("memoryGiB: 24")]
        self.refused(index, "lacks memoryGiB")

    def test_whatever_is_not_of_the_form(self) -> None:
        for line in ("    memoryGB: 24", "   labels: []", "      - loose", "\tlabels: []", "x"):
            with self.subTest(line=line):
                self.setUp()
                index = self.at("memoryGiB: 24") + 1
                self.lines.insert(index, line)
                self.refused(index, "")


if __name__ == "__main__":
    unittest.main()
