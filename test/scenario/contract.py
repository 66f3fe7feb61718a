"""What every answer has to keep, whatever the scenario: the form of the extender verbs, the table of
reason codes, and that a dry run says what filter says."""
import re
from collections.abc import Iterable

from daemon import Failure, read

U, F = "Unresolvable", "Resolvable"
# Code, class, what the dry run makes of it; in the order of the checks.
TABLE = [
    ("NotReady", U, "NoFit"), ("InvalidRequest", U, "Invalid"), ("ProfileUnknown", U, "Rejected"),
    ("TenantUnknown", U, "Rejected"), ("TenantSuspended", U, "Rejected"),
    ("Misconfigured", U, "Rejected"), ("PriorityNotAllowed", U, "Rejected"),
    ("IsolationNotAllowed", U, "Rejected"), ("NodeUnknown", U, "NoFit"),
    ("GpuCordoned", U, "NoFit"), ("MigFailed", U, "NoFit"), ("MigReconfiguring", U, "NoFit"),
    ("DriverUpgrading", U, "NoFit"), ("ResourceNotOffered", U, "NoFit"),
    ("DevicesGone", U, "NoFit"), ("NodeInconsistent", U, "NoFit"),
    ("SharedDisguised", U, "Rejected"), ("SharesPerContainer", U, "Rejected"),
    ("IsolationFloor", U, "Rejected"), ("TrustBoundary", U, "Rejected"),
    ("PoolLimit", U, "Rejected"), ("QuotaCeiling", U, "QuotaExceeded"),
    ("BandMayNotBorrow", U, "QuotaExceeded"), ("QuotaBorrowUnavailable", U, "QuotaExceeded"),
    ("ReservedForBand", U, "NoFit"), ("NodeTooSmall", U, "NoFit"), ("ReclaimNeeded", F, "NoFit"),
    ("SlicesBusy", F, "NoFit"), ("SharesBusy", F, "NoFit"), ("CardsBusy", F, "NoFit"),
    ("Held", U, "NoFit"),
]
CLASS = {code: kind for code, kind, _ in TABLE}
VERDICT = {code: verdict for code, _, verdict in TABLE}
ORDER = {code: float(place) for place, (code, _, _) in enumerate(TABLE)}
# Said of the pod it concerns every node; where nodes differ it is about the node's profile.
ORDER["ProfileUnknown"] = ORDER["NodeInconsistent"] + 0.5
FITS = ("Fits", "FitsByBorrowing")
KEYS = {"Nodes", "NodeNames", "FailedNodes", "FailedAndUnresolvableNodes", "Error"}
NAMES = re.compile(r"nvidia\.com/\S+|mig-\S+|gpu\.shared")


def reason(node: str, words: str, nodes: Iterable[str]) -> str:
    """The code of a reason text, after a look at the text."""
    code, colon, sentence = words.partition(": ")
    if code not in CLASS or not colon or not sentence.strip():
        raise Failure(f"{node}: not '<Code>: <sentence>': {words!r}")
    if len(words.encode()) > 80:
        raise Failure(f"{node}: {len(words.encode())} bytes, more than 80: {words!r}")
    if "%" in words:
        raise Failure(f"{node}: a % in {words!r}")
    if re.search(r"\d", NAMES.sub("", sentence)):
        raise Failure(f"{node}: an amount in {words!r}")
    telling = [n for n in nodes if re.search(r"[\d-]", n)]  # a name like "shared" proves nothing
    if any(re.search(rf"(?<![\w-]){re.escape(n)}(?![\w-])", sentence) for n in telling):
        raise Failure(f"{node}: a node's name in {words!r}")
    return code


def whole_names(pod: dict, words: str) -> None:
    """A resource that a text names is one of the pod's, not cut off at the end of the text."""
    parts = pod["spec"]["containers"] + pod["spec"].get("initContainers", [])
    amounts = [a for c in parts for a in c.get("resources", {}).values()]
    mine = {name for a in [*amounts, pod["spec"].get("overhead", {})] for name in a}
    for name in re.findall(r"nvidia\.com/[\w.-]*", words):
        if name not in mine:
            raise Failure(f"filter: {name} isn't among the pod's resources: {words!r}")


def verdicts(answer: str, pod: dict, asked: list[str], full: bool = False) -> dict[str, str]:
    """Node to "fits" or code, of a filter answer that keeps the rules."""
    got = read(answer)
    if not isinstance(got, dict) or set(got) - KEYS:
        raise Failure(f"filter: keys {list(got)}, wanted Go's {sorted(KEYS)}")
    if got.get("Error") != "":
        raise Failure(f"filter: Error is {got.get('Error')!r}")
    names = passed(got, full)
    result = dict.fromkeys(names, "fits")
    if names != sorted(set(names)):
        raise Failure(f"filter: passed nodes aren't sorted and unique: {names}")
    for key, kind in (("FailedNodes", F), ("FailedAndUnresolvableNodes", U)):
        failed = got.get(key)
        if not isinstance(failed, dict) or list(failed) != sorted(failed):
            raise Failure(f"filter: {key} is not a sorted map: {failed!r}")
        for node, words in failed.items():
            code = reason(node, words, asked)
            whole_names(pod, words)
            if node in result:
                raise Failure(f"filter: {node} is in the answer twice")
            if CLASS[code] != kind:
                raise Failure(f"filter: {node} is in {key}, but {code} is {CLASS[code]}")
            result[node] = code
    if set(result) != set(asked):
        raise Failure(f"filter: asked for {sorted(set(asked))}, got {sorted(result)}")
    return result


def passed(got: dict, full: bool) -> list[str]:
    used, unused = ("Nodes", "NodeNames") if full else ("NodeNames", "Nodes")
    if got.get(unused) is not None:
        raise Failure(f"filter: {unused} is {str(got[unused])[:100]} in an answer with {used}")
    value = got.get(used)
    if full:
        value = value.get("items") if isinstance(value, dict) else None
    if not isinstance(value, list):
        raise Failure(f"filter: {used} is {got.get(used)!r}, wanted a list, empty if need be")
    return [n["metadata"]["name"] for n in value] if full else value


def order(answer: str, asked: list[str], able: int) -> list[str]:
    """Hosts, best first, of a prioritize answer that keeps the rules, where so many nodes are able."""
    got = read(answer)
    if not isinstance(got, list) or any(set(h) != {"Host", "Score"} for h in got):
        raise Failure(f"prioritize: not a list of Host and Score: {answer[:300]}")
    hosts = [h["Host"] for h in sorted(got, key=lambda h: -h["Score"])]
    scores = sorted((h["Score"] for h in got), reverse=True)
    if scores != list(range(10, 10 - min(10, able), -1)):
        raise Failure(f"prioritize: {able} nodes asked and able, got {answer[:500]}")
    if len(set(hosts)) != len(hosts) or set(hosts) - set(asked):
        raise Failure(f"prioritize: asked for {asked}, got {hosts}")
    return hosts


# --- dry runs ------------------------------------------------------------------------------------


def node_verdicts(pod: dict) -> dict[str, str]:
    result = {}
    for entry in pod.get("nodes", []):
        if entry.get("fits") is True:
            result[entry["name"]] = "fits"
        else:
            code = entry.get("code")
            if code not in CLASS or entry.get("class") != CLASS[code]:
                raise Failure(f"dry run: {entry['name']} has class {entry.get('class')}, code {code}")
            result[entry["name"]] = code
    return result


def ranking(pod: dict) -> list[str]:
    able = [n for n in pod.get("nodes", []) if n.get("fits") is True]
    return [n["name"] for n in sorted(able, key=lambda n: n["rank"])]


def agrees(report: dict, wanted: dict[str, str], whole: bool) -> dict:
    """The one pod of a dry run, after comparing it with what filter said of the same pod."""
    pod = report["pods"][0]
    got = node_verdicts(pod)
    compared = {n: c for n, c in got.items() if n in wanted}
    if compared and compared != wanted:
        raise Failure("dry run and filter differ:\n" + table(wanted, compared, "filter", "dry run"))
    if report["verdict"] != pod["verdict"]:
        raise Failure(f"dry run: {report['verdict']} in all, {pod['verdict']} for its only pod")
    if not whole:
        return pod
    codes = set(wanted.values())
    if not pod.get("request") and "InvalidRequest" not in codes:
        if pod["verdict"] != "Fits":
            raise Failure(f"dry run: {pod['verdict']} for a pod without GPUs")
    elif "fits" in codes:
        if pod["verdict"] not in FITS or pod.get("code") or wanted.get(pod.get("node")) != "fits":
            raise Failure(f"dry run: {pod['verdict']}, code {pod.get('code')!r}, node "
                          f"{pod.get('node')!r}, where filter passes a node")
    elif codes:
        code = max(codes, key=ORDER.get)
        able = {VERDICT[code]} | ({"FitsWithPreemption"} if CLASS[code] == F else set())
        if pod.get("code") != code or pod["verdict"] not in able:
            raise Failure(f"dry run: {pod['verdict']} with {pod.get('code')!r}, "
                          f"wanted {VERDICT[code]} with {code}, the furthest in the order of checks")
    return pod


def table(wanted: dict, got: dict, left: str = "expected", right: str = "got") -> str:
    rows = [f"  {'':2}{'':24} {left:24} {right}"]
    for key in sorted(set(wanted) | set(got)):
        a, b = wanted.get(key, "-"), got.get(key, "-")
        rows.append(f"  {'  ' if a == b else '* '}{key:24} {a!s:24} {b!s}")
    return "\n".join(rows)


def lacks(wanted, got, where: str = "") -> str:
    """Where got doesn't have what wanted says; empty when it has it all. null means absent."""
    if wanted is None:
        return "" if got is None else f"{where}: expected nothing, got {got!r}"
    if isinstance(wanted, dict):
        if not isinstance(got, dict):
            return f"{where}: expected a map, got {got!r}"
        found = (lacks(v, got.get(k), f"{where}/{k}") for k, v in wanted.items())
        return next((f for f in found if f), "")
    if isinstance(wanted, list):
        if not isinstance(got, list):
            return f"{where}: expected a list, got {got!r}"
        if not wanted and got:
            return f"{where}: expected an empty list, got {got!r}"
        for item in wanted:
            if not any(lacks(item, g) == "" for g in got):
                return f"{where}: nothing like {item!r} in {got!r}"
        return ""
    same = wanted == got and isinstance(wanted, bool) == isinstance(got, bool)
    return "" if same else f"{where}: expected {wanted!r}, got {got!r}"
