#!/usr/bin/env python3
"""Play the scenarios of this folder against shikirid and print TAP, one test a scenario.

    run.py [-j N] [PATTERN...]      PATTERN is part of a scenario's path

SHIKIRI_BUILD names the build folder (build). README.md tells how a scenario is written.
"""
import sys

sys.dont_write_bytecode = True

import argparse  # noqa: E402
import json  # noqa: E402
import tempfile  # noqa: E402
from concurrent.futures import ThreadPoolExecutor  # noqa: E402
from pathlib import Path  # noqa: E402

import yaml  # noqa: E402

import cluster  # noqa: E402
from cluster import Mistake, known  # noqa: E402
from daemon import Daemon, Failure, program  # noqa: E402
from steps import Player  # noqa: E402

HERE = Path(__file__).resolve().parent
FIELDS = {"title", "policy", "mode", "documents", "nodes", "namespaces", "pods", "objects", "steps",
          "refused", "planted"}


class Loader(yaml.SafeLoader):
    """A key that stands twice is a mistake, times stay text, and so do on, off, yes and no."""

    yaml_implicit_resolvers = {
        first: [(tag, regexp) for tag, regexp in resolvers
                if not tag.endswith(("timestamp", "bool")) or first in "tf"]
        for first, resolvers in yaml.SafeLoader.yaml_implicit_resolvers.items()}

    def construct_mapping(self, node, deep=False):
        keys = [self.construct_object(k, deep=deep) for k, _ in node.value]
        if len(set(keys)) != len(keys):
            raise Mistake(f"line {node.start_mark.line + 1}: a key stands twice in {keys}")
        return super().construct_mapping(node, deep)


def load(path: Path):
    return yaml.load(path.read_text(encoding="utf-8"), Loader)


def write(folder: Path, name: str, *documents) -> str:
    path = folder / name
    if path.suffix == ".json":
        path.write_text(json.dumps(documents[0]), encoding="utf-8")
    else:
        plain = json.loads(json.dumps(documents))  # nothing shared: aliases are refused
        path.write_text(yaml.safe_dump_all(plain, explicit_start=True), encoding="utf-8")
    return str(path)


def arguments(scenario: dict, templates: dict, folder: Path) -> list[str]:
    snapshot = cluster.snapshot(scenario, templates["nodes"])
    result = ["--snapshot", write(folder, "snapshot.json", snapshot)]
    documents = cluster.documents(scenario.get("documents"), templates["documents"])
    if documents:
        result += ["--apply", write(folder, "documents.yaml", *documents)]
    if "policy" in scenario:
        policy = {"apiVersion": "shikiri.dev/v1", "kind": "Policy",
                  "metadata": {"name": "scenario"}, "spec": scenario["policy"]}
        result += ["--policy", write(folder, "policy.yaml", policy)]
    return result + (["--mode", scenario["mode"]] if "mode" in scenario else [])


def play(scenario: dict, templates: dict, folder: Path) -> list[str]:
    """What was wrong, one text a finding."""
    daemon = Daemon(folder, arguments(scenario, templates, folder))
    if "refused" in scenario:
        return refused(scenario["refused"], daemon)
    wrong, number = [], 0
    try:
        daemon.wait_ready()
        player = Player(scenario, templates["documents"], templates["nodes"], daemon)
        for number, step in enumerate(scenario["steps"], 1):
            player.play(step)
    except (Failure, Mistake) as error:
        wrong.append(f"step {number}: {error}")
    except (KeyError, TypeError, AttributeError, IndexError) as error:
        wrong.append(f"step {number}: the answer hasn't the expected form: {error!r}")
    finally:
        wrong += daemon.stop()
    return wrong


def refused(expect: dict, daemon: Daemon) -> list[str]:
    """A start that should fail with this status and tell why on stderr."""
    known(expect, {"status", "says"}, "refused")
    wrong = []
    try:
        if (status := daemon.exit_status()) != expect["status"]:
            wrong.append(f"expected exit status {expect['status']}, got {status}:\n{daemon.log()}")
    except Failure as error:
        return [str(error), *daemon.stop()]
    wrong += [f"stderr should say {part!r}:\n{daemon.log()}"
              for part in expect.get("says", []) if part.lower() not in daemon.log().lower()]
    daemon.process.stdout.close()
    return wrong


def run(path: Path, templates: dict) -> tuple[str, list[str]]:
    name = str(path.relative_to(HERE).with_suffix(""))
    try:
        scenario = load(path)
        known(scenario, FIELDS, name)
        name += ": " + scenario["title"].replace("#", "")
        with tempfile.TemporaryDirectory(prefix="scenario-") as folder:
            wrong = play(scenario, templates, Path(folder))
    except (Mistake, KeyError, TypeError, yaml.YAMLError) as error:
        return name, [f"the scenario is written wrongly: {error!r}"]
    if "planted" in scenario:
        wrong = planted(scenario["planted"], wrong)
    return name, wrong


def planted(part: str, wrong: list[str]) -> list[str]:
    """The test of the test: a wrong expectation has to be found, and told of."""
    if any(part in finding for finding in wrong):
        return []
    return [f"a planted mistake should be told of with {part!r}; found: {wrong}"]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("-j", type=int, default=1, help="scenarios at a time")
    parser.add_argument("patterns", nargs="*", help="parts of the paths to run")
    options = parser.parse_args()
    templates = load(HERE / "templates.yaml")
    paths = [p for p in sorted(HERE.glob("*/*.yaml"))
             if not options.patterns or any(o in str(p.relative_to(HERE)) for o in options.patterns)]
    if not program().is_file():
        print(f"Bail out! no {program()}; set SHIKIRI_BUILD")
        return 1
    print(f"1..{len(paths)}", flush=True)
    failed = 0
    with ThreadPoolExecutor(max(1, options.j)) as pool:
        results = pool.map(lambda p: run(p, templates), paths)
        for number, (name, wrong) in enumerate(results, 1):
            print(f"{'not ok' if wrong else 'ok'} {number} - {name}", flush=True)
            failed += bool(wrong)
            for line in "\n".join(wrong).splitlines():
                print("# " + line)
    print(f"# {len(paths) - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
