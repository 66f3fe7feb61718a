#!/usr/bin/env python3
"""Make the C table of MIG geometry from mig-geometry.yaml, or refuse it with file and line.

    geometry.py mig-geometry.yaml geometry_table.c

Only the standard library is used, so YAML is read in a subset that is easy to read by eye too:
one key, one list entry or one {row} a line, two blanks of indent a level, comments on lines of
their own. Whatever isn't of that form is an error, never skipped.
"""
import re
import sys
from dataclasses import dataclass, field

MAX_UNITS = 32  # starts are bits of a uint32_t
NAME_SIZE = 32  # SHK_PROFILE_SIZE of core/resource.h
PROFILE_NAME = re.compile(r"(\d+)g\.(\d+)gb(\.me(\.all)?|\.gfx|-me)?")
PLAIN = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")
NUMBERS = ("memoryGiB", "computeSlices", "memoryUnits")
ROW = re.compile(
    r"\{name: *([^,]+), *compute: *([^,]+), *units: *([^,]+), *max: *([^,]+), *starts: *(.+)\}")


class Refused(Exception):
    """The table can't be taken; carries the line."""

    def __init__(self, line: int, why: str):
        super().__init__(why)
        self.line = line


@dataclass
class Profile:
    line: int
    name: str
    compute: int
    units: int | None
    max: int
    starts: list[int] | None
    gib: int = 0


@dataclass
class Product:
    line: int
    id: str
    labels: list[tuple[int, str]] = field(default_factory=list)
    profiles: list[Profile] = field(default_factory=list)
    numbers: dict[str, int | None] = field(default_factory=dict)
    seen: set[str] = field(default_factory=set)


# --- reading ---------------------------------------------------------------------------------


def number(line: int, text: str, what: str) -> int | None:
    if text.strip() == "null":
        return None
    if not re.fullmatch(r"[1-9][0-9]{0,5}", text.strip()):
        raise Refused(line, f"{what} is '{text.strip()}', wanted a whole number above 0 or null")
    return int(text)


def known_number(line: int, text: str, what: str) -> int:
    value = number(line, text, what)
    if value is None:
        raise Refused(line, f"{what} can't be null")
    return value


def start_list(line: int, text: str) -> list[int] | None:
    if text.strip() == "null":
        return None
    if not re.fullmatch(r"\[\d+(, *\d+)*\]", text.strip()):
        raise Refused(line, f"starts is '{text.strip()}', wanted [0, 1, ...] or null")
    return [int(word) for word in text.strip()[1:-1].split(",")]


def read_row(line: int, text: str) -> Profile:
    match = ROW.fullmatch(text)
    if not match:
        raise Refused(line, "wanted {name: ..., compute: ..., units: ..., max: ..., starts: ...}")
    name, compute, units, most, starts = (part.strip() for part in match.groups())
    return Profile(line, name, known_number(line, compute, "compute"),
                   number(line, units, "units"), known_number(line, most, "max"),
                   start_list(line, starts))


def read_key(product: Product, line: int, key: str, value: str) -> None:
    if key in product.seen:
        raise Refused(line, f"{key} stands twice")
    product.seen.add(key)
    if key in NUMBERS:
        product.numbers[key] = number(line, value, key)
    elif key in ("labels", "profiles"):
        if value not in ("", "[]"):
            raise Refused(line, f"{key} is a list with one entry a line, or []")
    else:
        raise Refused(line, f"unknown key {key}")


def read_entry(product: Product, line: int, listing: str, text: str) -> None:
    if listing == "profiles":
        product.profiles.append(read_row(line, text))
    elif listing == "labels":
        if not PLAIN.fullmatch(text) or len(text) > 63:
            raise Refused(line, f"'{text}' can't be the value of a label")
        product.labels.append((line, text))
    else:
        raise Refused(line, "an entry without a list")


def meaningful(text: str) -> list[tuple[int, str]]:
    lines = [(i, line.rstrip()) for i, line in enumerate(text.splitlines(), 1)]
    return [(i, line) for i, line in lines if line.strip() and not line.lstrip().startswith("#")]


def read(text: str) -> list[Product]:
    head = ["apiVersion: shikiri.dev/v1", "kind: MigGeometry", "products:"]
    lines = meaningful(text)
    for (line, found), wanted in zip(lines, head):
        if found != wanted:
            raise Refused(line, f"wanted '{wanted}'")

    products: list[Product] = []
    listing = ""
    for line, found in lines[len(head):]:
        if match := re.fullmatch(r"  - id: (\S+)", found):
            products.append(Product(line, match[1]))
            listing = ""
        elif products and (match := re.fullmatch(r"    (\w+):(?: (.+))?", found)):
            read_key(products[-1], line, match[1], match[2] or "")
            listing = match[1] if not match[2] else ""
        elif products and (match := re.fullmatch(r"      - (.+)", found)):
            read_entry(products[-1], line, listing, match[1])
        else:
            raise Refused(line, f"'{found.strip()}' is not of the form this file is kept in")
    if not products:
        raise Refused(len(text.splitlines()) or 1, "no products")
    return products


# --- checking --------------------------------------------------------------------------------


def placeable(starts: list[int], size: int) -> int:
    """How many instances fit side by side; equal sizes, so taking the earliest is best."""
    count, end = 0, 0
    for start in sorted(starts):
        if start >= end:
            count, end = count + 1, start + size
    return count


def rounded(total: int, part: int, whole: int) -> int:
    return (2 * total * part + whole) // (2 * whole)


def check_name(product: Product, profile: Profile) -> None:
    match = PROFILE_NAME.fullmatch(profile.name)
    if not match or len(profile.name) >= NAME_SIZE:
        raise Refused(profile.line, f"'{profile.name}' is no profile name; '+' is written '.'")
    if int(match[1]) != profile.compute:
        raise Refused(profile.line, f"{profile.name} with compute: {profile.compute}")
    profile.gib = int(match[2])

    slices, units, total = (product.numbers[key] for key in
                            ("computeSlices", "memoryUnits", "memoryGiB"))
    if slices is None or total is None:
        raise Refused(profile.line, f"{product.id} has profiles, but no computeSlices or memoryGiB")
    nominal = (rounded(total, profile.units or 0, units) if units
               else rounded(total, profile.compute, slices))
    if profile.gib != nominal:
        raise Refused(profile.line, f"{profile.name} says {profile.gib} GiB, but its share of the "
                                    f"card's {total} GiB is {nominal}")


def check_compute(product: Product, profile: Profile) -> None:
    slices = product.numbers["computeSlices"]
    assert slices is not None
    if profile.compute > slices:
        raise Refused(profile.line, f"{profile.name} needs {profile.compute} compute slices, "
                                    f"{product.id} has {slices}")
    if profile.compute * profile.max > slices:
        raise Refused(profile.line, f"{profile.max} of {profile.name} need more compute slices "
                                    f"than the {slices} of {product.id}")


def check_placement(product: Product, profile: Profile) -> None:
    card, line, name = product.numbers["memoryUnits"], profile.line, profile.name
    if (profile.units is None) != (card is None) or (profile.starts is None) != (card is None):
        raise Refused(line, f"{name}: units, starts and the card's memoryUnits are known together "
                            "or not at all")
    if card is None or profile.units is None or profile.starts is None:
        return
    if len(set(profile.starts)) != len(profile.starts):
        raise Refused(line, f"{name}: a start stands twice")
    if profile.starts != sorted(profile.starts):
        raise Refused(line, f"{name}: starts are not in order")
    if profile.starts[-1] + profile.units > card:
        raise Refused(line, f"{name} at start {profile.starts[-1]} passes the end of the card's "
                            f"{card} memory units")
    if placeable(profile.starts, profile.units) < profile.max:
        raise Refused(line, f"{profile.max} of {name} can't stand side by side, only "
                            f"{placeable(profile.starts, profile.units)} can")


def check_product(product: Product) -> None:
    missing = {"labels", "profiles", *NUMBERS} - product.seen
    if missing:
        raise Refused(product.line, f"{product.id} lacks {', '.join(sorted(missing))}")
    if (product.numbers["memoryUnits"] or 0) > MAX_UNITS:
        raise Refused(product.line, f"{product.id} has more than {MAX_UNITS} memory units")
    names: set[str] = set()
    for profile in product.profiles:
        if profile.name in names:
            raise Refused(profile.line, f"{profile.name} stands twice in {product.id}")
        names.add(profile.name)
        check_placement(product, profile)
        check_name(product, profile)
        check_compute(product, profile)


def check(products: list[Product]) -> None:
    ids: set[str] = set()
    owners: dict[str, str] = {}
    for product in products:
        if not PLAIN.fullmatch(product.id):
            raise Refused(product.line, f"'{product.id}' can't be an id")
        if product.id in ids:
            raise Refused(product.line, f"product {product.id} stands twice")
        ids.add(product.id)
        for line, label in product.labels:
            if label in owners:
                raise Refused(line, f"label {label} already belongs to {owners[label]}")
            owners[label] = product.id
        check_product(product)


# --- writing ---------------------------------------------------------------------------------


def c_profile(profile: Profile) -> str:
    bits = sum(1 << start for start in profile.starts or [])
    return (f'\t{{"{profile.name}", {profile.compute}, {profile.units or 0}, {profile.gib}, '
            f"{profile.max}, UINT32_C(0x{bits:x})}},")


def c_product(index: int, product: Product) -> str:
    numbers = ", ".join(str(product.numbers[key] or 0) for key in NUMBERS)
    rows = f"profiles_{index}" if product.profiles else "NULL"
    return (f'\t{{"{product.id}", labels_{index}, {numbers}, {rows}, {len(product.profiles)}}},')


def write(products: list[Product]) -> str:
    out = ["/* Made by policies/geometry.py from policies/mig-geometry.yaml. */",
           '#include "shikiri/core/geometry.h"', ""]
    for i, product in enumerate(products):
        labels = "".join(f'"{label}", ' for _, label in product.labels)
        out.append(f"static const char *const labels_{i}[] = {{{labels}NULL}};")
        if product.profiles:
            out.append(f"static const struct shk_profile_row profiles_{i}[] = {{")
            out += [c_profile(profile) for profile in product.profiles] + ["};"]
        out.append("")
    out.append("const struct shk_product_row shk_products[] = {")
    out += [c_product(i, product) for i, product in enumerate(products)]
    out += ["};", f"const size_t shk_n_products = {len(products)};", ""]
    return "\n".join(out)


def main(argv: list[str]) -> int:
    if len(argv) != 3:
        print("usage: geometry.py YAML C-FILE", file=sys.stderr)
        return 64
    with open(argv[1], encoding="utf-8") as source:
        text = source.read()
    try:
        products = read(text)
        check(products)
    except Refused as refused:
        print(f"{argv[1]}:{refused.line}: error: {refused}", file=sys.stderr)
        return 65
    with open(argv[2], "w", encoding="utf-8") as target:
        target.write(write(products))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv))
