"""shikirictl doctor: each rule, against a stub that is wired well but for one thing."""
import json
import re
import subprocess
import time

import pytest
import yaml

import harness
import stub_daemon
from stub_daemon import API, DAY, VERBS, WATCHED
from test_cli import SNAPSHOT, ctl, example_daemon

EXTENDER_CALLS = "shikiri_extender_requests_total"
LAST_CALL = "shikiri_extender_last_call_timestamp_seconds"
EXPIRY = "shikiri_certificate_expiry_timestamp_seconds"


@pytest.fixture
def stub():
    one = stub_daemon.StubDaemon()
    yield one
    one.close()


@pytest.fixture
def facts(stub):
    return stub.facts


@pytest.fixture
def config(tmp_path):
    """What we print ourselves; a test changes it. Written by examine()."""
    printed = yaml.safe_load(ctl("scheduler-config").out)
    printed["path"] = tmp_path / "scheduler.yaml"
    return printed


def examine(stub, config=None, *args):
    """The report, and the exit status that fits it."""
    words = ["doctor", "-o", "json", *args]
    if config:
        path = config["path"]
        path.write_text(json.dumps({k: v for k, v in config.items() if k != "path"}))
        words += ["--scheduler-config", path]
    result = ctl(*words, server=stub.url)
    report = result.json()
    assert result.status == (1 if report["findings"] else 0), result
    counted = {level: sum(f["severity"] == level for f in report["findings"])
               for level in ("error", "warning", "unknown")}
    assert {level: report["summary"][level] for level in counted} == counted
    assert all(set(f) == {"id", "severity", "what", "fix"} and f["what"] and f["fix"]
               for f in report["findings"])
    return report


def only(report, rule, severity):
    """The report's findings are of this rule alone; their texts."""
    assert {(f["id"], f["severity"]) for f in report["findings"]} == {(rule, severity)}, report
    return [f["what"] for f in report["findings"]]


# --- all is well ---------------------------------------------------------------------------------


def test_nothing_is_wrong(stub, config):
    report = examine(stub, config)
    assert report["findings"] == []
    assert report["summary"]["reached"] is True and report["summary"]["rules"] > 30


def test_the_other_form_is_as_good(stub, config):
    other = yaml.safe_load(ctl("scheduler-config", "--topology", "default", "--snapshot", SNAPSHOT).out)
    other["path"] = config["path"]
    assert examine(stub, other)["findings"] == []


def test_people_read_it_too(stub, facts):
    good = ctl("doctor", server=stub.url)
    assert good.status == 0 and good.out.startswith("nothing wrong")
    assert "--scheduler-config" in good.err
    facts.metrics["shikiri_trust_conflicts"] = {"": 2}
    bad = ctl("doctor", server=stub.url)
    assert bad.status == 1
    assert bad.out.startswith("ERROR   TrustConflict\n        shared pools with")
    assert "\n        fix: end or move" in bad.out and "errors: 1, warnings: 0" in bad.out
    assert max(map(len, bad.lines())) <= 100


def test_errors_come_first(stub, facts):
    facts.quotas = [stub_daemon.quota("vision", over=True)]
    facts.verify = {"sound": False, "findings": ["row 2: hash differs"]}
    del facts.metrics["shikiri_bypass_pods"]
    levels = [f["severity"] for f in examine(stub)["findings"]]
    assert levels == ["error", "warning", "unknown", "unknown"]


# --- rules on the daemon -------------------------------------------------------------------------


def metric(name, labels, value):
    def change(facts):
        facts.metrics[name][labels] = value
    return change


def attribute(name, value):
    return lambda facts: setattr(facts, name, value)


def no_calls(facts):
    facts.metrics[EXTENDER_CALLS] = {f'verb="{verb}"': 0 for verb in VERBS}
    facts.metrics[LAST_CALL] = {}
    facts.metrics["shikiri_decisions_total"] = {}


def refused_certificates(facts):
    no_calls(facts)
    facts.metrics["shikiri_client_certificates_refused_total"] = {'why="name"': 3}


def ago(seconds):
    return int(time.time()) - seconds


STALE = "shikiri_watch_age_seconds"
RELISTS = "shikiri_watch_relists_total"
DISGUISED = stub_daemon.node("gpu-9", stub_daemon.pool("nvidia.com/gpu", disguised=True))


@pytest.mark.parametrize("change,rule,severity,word", [
    (attribute("ready", (503, "[-]ledger failed: disk full\n[+]cluster ok\n")),
     "NotReady", "error", "disk full"),
    (attribute("ready", (503, "")), "NotReady", "error", "doesn't say why"),
    (attribute("verify", {"sound": False, "findings": ["row 9: hash"]}),
     "LedgerUnsound", "error", "row 9"),
    (attribute("verify", {"sound": False, "findings": []}), "LedgerUnsound", "error", "sound"),
    (attribute("verify", {}), "LedgerUnsound", "error", "sound"),
    (metric("shikiri_ledger_transactions_total", 'result="failed"', 2),
     "LedgerNotWritten", "error", "since the start: 2"),
    (no_calls, "NeverCalled", "error", "no scheduler has called"),
    (refused_certificates, "NeverCalled", "error", "client's certificate: 3"),
    (metric(LAST_CALL, 'verb="filter"', ago(600)), "NotCalledLately", "error", "for 10 minutes"),
    (metric(EXTENDER_CALLS, 'verb="bind"', 0), "BindNotCalled", "error", "7 times"),
    (metric("shikiri_extender_errors_total", 'verb="preempt"', 4),
     "CallsUnreadable", "warning", "calls of preempt that couldn't be read: 4"),
    (metric(STALE, 'resource="pods"', 91), "WatchStale", "error", "about pods for 91"),
    (metric(STALE, 'resource="nodes"', "NaN"), "WatchStale", "error", "nodes"),
    (metric(RELISTS, 'resource="nodes"', 5000), "WatchRelisting", "warning", "5000 times"),
    (metric(EXPIRY, 'listener="extender"', ago(5)),
     "CertificateEnded", "error", "extender listener has ended"),
    (metric(EXPIRY, 'listener="admin"', ago(-10 * DAY)),
     "CertificateEnding", "warning", "admin listener ends soon; days left: 10"),
    (lambda facts: facts.metrics.update({EXPIRY: {}}), "ListenerPlain", "warning", "plain HTTP"),
    (metric("shikiri_bypass_pods", 'kind="foreign"', 3), "BoundByOthers", "warning", "bound by others: 3"),
    (metric("shikiri_bypass_pods", 'kind="other_scheduler"', 5),
     "OtherScheduler", "warning", "never asked us: 5"),
    (metric("shikiri_trust_conflicts", "", 1), "TrustConflict", "error", "trust domains: 1"),
    (attribute("nodes", [DISGUISED]), "SharedDisguised", "warning", "gpu-9"),
    (attribute("nodes", [stub_daemon.node("gpu-9", contradiction="gpu.replicas is 0")]),
     "NodeInconsistent", "error", "gpu-9 takes no GPU pods: gpu.replicas is 0"),
    (metric("shikiri_deficit_units", "", 2), "MoreUsedThanOffered", "warning", "nodes offer: 2"),
    (attribute("quotas", [stub_daemon.quota("vision", over=True)]),
     "QuotaOverCeiling", "warning", "tenant vision uses 12 gpuEquivalents"),
])
def test_one_thing_is_wrong(stub, facts, change, rule, severity, word):
    change(facts)
    (what,) = only(examine(stub), rule, severity)
    assert word in what


@pytest.mark.parametrize("change", [
    # Nobody waits: silence is peace.
    lambda facts: (metric(LAST_CALL, 'verb="filter"', ago(9000))(facts),
                   metric("shikiri_pending_pods", 'tenant="vision"', 0)(facts)),
    # Bind errors are races that bind lost: refusals, not damage.
    metric("shikiri_extender_errors_total", 'verb="bind"', 4),
    # A name without devices is left over, and shows nobody a GPU.
    attribute("nodes", [stub_daemon.node("gpu-9", stub_daemon.pool(
        "nvidia.com/gpu", disguised=True, capacity=0, allocatable=0))]),
    # A slow policy is the administrator's choice.
    lambda facts: (metric(STALE, 'resource="pods"', 200)(facts),
                   attribute("policy", {"spec": {"limits": {"staleness": "5m"}}})(facts)),
    metric(EXPIRY, 'listener="admin"', ago(-31 * DAY)),
    metric(RELISTS, 'resource="nodes"', 100),
])
def test_what_is_not_wrong(stub, facts, change):
    change(facts)
    assert examine(stub)["findings"] == []


def test_many_names_are_cut_short(stub, facts):
    facts.nodes = [stub_daemon.node(f"gpu-{i}", stub_daemon.pool("nvidia.com/gpu", disguised=True))
                   for i in range(7)]
    (what,) = only(examine(stub), "SharedDisguised", "warning")
    assert what.endswith("gpu-0, gpu-1, gpu-2, gpu-3, gpu-4 and 2 more")


# --- what isn't known is never fine --------------------------------------------------------------


METRICS = sorted(stub_daemon.Facts().metrics)


@pytest.mark.parametrize("name", METRICS)
def test_a_missing_metric_is_not_known(stub, facts, name):
    del facts.metrics[name]
    report = examine(stub)
    assert {f["severity"] for f in report["findings"]} == {"unknown"}
    assert all(name in f["what"] for f in report["findings"])


@pytest.mark.parametrize("name", [name for name in METRICS if name not in (
    "shikiri_decisions_total", "shikiri_pending_pods", EXPIRY)])
def test_a_metric_without_samples_is_not_known(stub, facts, name):
    facts.metrics[name] = {}
    report = examine(stub)
    assert {f["severity"] for f in report["findings"]} == {"unknown"}
    assert all(name in f["what"] for f in report["findings"])


def test_nobody_waits_without_a_sample(stub, facts):
    facts.metrics["shikiri_pending_pods"] = {}
    facts.metrics[LAST_CALL] = {'verb="filter"': ago(9000)}
    assert examine(stub)["findings"] == []


@pytest.mark.parametrize("resource", WATCHED)
@pytest.mark.parametrize("name,rule", [(STALE, "WatchStale"), (RELISTS, "WatchRelisting")])
def test_a_missing_watch_is_not_known(stub, facts, name, rule, resource):
    del facts.metrics[name][f'resource="{resource}"']
    (what,) = only(examine(stub), rule, "unknown")
    assert f"{name} of {resource}" in what


@pytest.mark.parametrize("path,rules", [
    ("/readyz?verbose", {"NotReady"}), (f"{API}/quotas", {"QuotaOverCeiling"}),
    (f"{API}/nodes", {"SharedDisguised", "NodeInconsistent"}),
    (f"{API}/allocations?state=foreign", {"BoundByOthers"}),
    (f"{API}/ledger/verify", {"LedgerUnsound"})])
def test_an_answer_refused_is_not_known(stub, facts, path, rules):
    facts.status[path] = 403
    report = examine(stub)
    assert {f["id"] for f in report["findings"]} == rules
    assert {f["severity"] for f in report["findings"]} == {"unknown"}


def test_metrics_refused_are_not_known(stub, facts):
    facts.status["/metrics"] = 403
    report = examine(stub)
    assert {f["severity"] for f in report["findings"]} == {"unknown"}
    assert {"NeverCalled", "WatchStale", "TrustConflict"} <= {f["id"] for f in report["findings"]}


def test_managed_resources_without_nodes_are_not_known(stub, facts, config):
    config["extenders"][0]["managedResources"] = [{"name": "nvidia.com/gpu"}]
    facts.status[f"{API}/nodes"] = 503
    found = {f["id"]: f["severity"] for f in examine(stub, config)["findings"]}
    assert found["ResourcesUnmanaged"] == "unknown"


def test_a_snapshot_daemon_has_no_watches(tmp_path):
    """The real daemon's metrics are read; what it can't know of a live cluster isn't fine."""
    daemon = example_daemon(tmp_path)
    try:
        report = examine(type("Server", (), {"url": daemon.admin.url}))
    finally:
        daemon.stop()
    found = {f["id"]: f["severity"] for f in report["findings"]}
    assert found["NeverCalled"] == "error" and found["SharedDisguised"] == "warning"
    assert found["WatchStale"] == "unknown"
    assert not {"LedgerUnsound", "NotReady", "TrustConflict"} & set(found)


def test_nobody_answers(config):
    result = ctl("doctor", "-o", "json", server="http://127.0.0.1:1")
    assert result.status == 6 and "can't reach" in result.err
    assert result.json()["summary"]["reached"] is False


# --- bypass --------------------------------------------------------------------------------------


FOREIGN = {"uid": "u-1", "namespace": "vision", "name": "sneaky-0", "tenant": "vision",
           "node": "gpu-1", "resources": {"nvidia.com/gpu": 2}, "state": "foreign",
           "since": "2026-01-01T00:00:00Z"}


def test_bypass_lists_who_came_past_us(stub, facts):
    facts.foreign = [FOREIGN]
    report = examine(stub, None, "--bypass")
    only(report, "BoundByOthers", "warning")
    assert report["bypass"] == [FOREIGN]
    shown = ctl("doctor", "--bypass", server=stub.url).out
    assert "sneaky-0" in shown and "2 gpu" in shown


def test_bypass_of_nobody(stub, facts):
    assert examine(stub, None, "--bypass")["bypass"] == []
    assert "no GPU pod was bound by others" in ctl("doctor", "--bypass", server=stub.url).out
    assert "bypass" not in examine(stub)
    facts.status[f"{API}/allocations?state=foreign"] = 403
    assert examine(stub, None, "--bypass")["bypass"] is None


# --- rules on the scheduler's configuration ------------------------------------------------------


def entry(**values):
    return lambda config: config["extenders"][0].update(values)


def without(*keys):
    return lambda config: [config["extenders"][0].pop(key) for key in keys]


def another(**values):
    return lambda config: config["extenders"].append(
        {"urlPrefix": "http://127.0.0.1:9/other", "filterVerb": "filter", **values})


def profile(**values):
    return lambda config: config["profiles"][0].update(values)


@pytest.mark.parametrize("change,rule,severity,word", [
    (lambda c: c.update(kind="Policy"), "ConfigKind", "error", "Policy"),
    (lambda c: c.update(apiVersion="kubescheduler.config.k8s.io/v1beta3"),
     "ConfigKind", "error", "v1beta3"),
    (lambda c: c.update(extenders=[]), "NotRegistered", "error", "no extender"),
    (entry(urlPrefix="https://shikiri:8443/scheduler/v2"), "NotRegistered", "error", "no extender"),
    (lambda c: c["extenders"].append(dict(c["extenders"][0])), "NotRegistered", "error", "2 extend"),
    (another(bindVerb="bind"), "SecondBinder", "error", "127.0.0.1:9/other"),
    (lambda c: c.pop("percentageOfNodesToScore"), "NodesSampled", "error", "shikiri-scheduler"),
    (profile(percentageOfNodesToScore=50), "NodesSampled", "error", "shikiri-scheduler"),
    (lambda c: c.update(profiles=[], percentageOfNodesToScore=0, leaderElection={},
                        extenders=[{**c["extenders"][0],
                                    "managedResources": [{"name": f"nvidia.com/{r}"} for r in
                                                         ("gpu", "mig-1g.10gb")]}]),
     "NodesSampled", "error", "the scheduler looks"),
    (lambda c: c["leaderElection"].pop("resourceName"), "LeaseShared", "error", "lease"),
    (lambda c: c.pop("leaderElection"), "LeaseShared", "error", "lease"),
    (profile(schedulerName="default-scheduler"), "WholeClusterManaged", "warning", "every pod"),
    (without("bindVerb", "prioritizeVerb", "preemptVerb"), "AdviceOnly", "warning", "advice"),
    (without("preemptVerb"), "VerbMissing", "error", "preemptVerb"),
    (entry(bindVerb="commit"), "VerbMissing", "error", '"commit", not bind'),
    (entry(ignorable=True), "Ignorable", "error", "without us"),
    (without("nodeCacheCapable"), "FullNodes", "error", "whole nodes"),
    (entry(weight=1), "WeightLow", "warning", "weight is 1"),
    (entry(httpTimeout="2s"), "TimeoutShort", "warning", "2s"),
    (without("httpTimeout"), "TimeoutShort", "warning", "the default"),
    (entry(httpTimeout="soon"), "TimeoutShort", "warning", "no duration"),
    (entry(tlsConfig={"certFile": "/c", "keyFile": "/k"}), "ServerUnverified", "error", "without a CA"),
    (entry(tlsConfig={"insecure": True, "certFile": "/c", "keyFile": "/k"}),
     "ServerUnverified", "error", "insecure"),
    (entry(tlsConfig={"caFile": "/ca"}), "TransportOpen", "error", "client certificate"),
    (lambda c: (entry(urlPrefix="http://10.0.0.1:8443/scheduler/v1")(c),
                without("enableHTTPS", "tlsConfig")(c)), "TransportOpen", "error", "plain HTTP"),
    (entry(managedResources=[{"name": "nvidia.com/gpu"}]),
     "ResourcesUnmanaged", "error", "lacks nvidia.com/mig-1g.10gb"),
    (entry(managedResources=[{"name": f"nvidia.com/{r}", "ignoredByScheduler": r == "gpu"}
                             for r in ("gpu", "mig-1g.10gb")]),
     "ResourcesIgnored", "error", "nvidia.com/gpu"),
])
def test_one_setting_is_wrong(stub, config, change, rule, severity, word):
    change(config)
    (what,) = only(examine(stub, config), rule, severity)
    assert word in what


@pytest.mark.parametrize("change", [
    another(),  # others may filter
    lambda c: (c.pop("percentageOfNodesToScore"), profile(percentageOfNodesToScore=100)(c)),
    entry(urlPrefix="https://shikiri:8443/scheduler/v1//"),
    entry(weight=1000, httpTimeout="1m"),
    entry(tlsConfig={"caData": "Y2E=", "certData": "Y2U=", "keyData": "a2U="}),
    lambda c: (entry(urlPrefix="http://127.0.0.1:8443/scheduler/v1")(c),
               without("enableHTTPS", "tlsConfig")(c)),
    lambda c: c.update(leaderElection={"leaderElect": False}),
])
def test_settings_that_are_as_good(stub, config, change):
    change(config)
    assert examine(stub, config)["findings"] == []


def test_advice_means_that_others_bind(stub, facts, config):
    facts.foreign = [FOREIGN]
    facts.metrics["shikiri_bypass_pods"]['kind="foreign"'] = 1
    facts.metrics[EXTENDER_CALLS]['verb="bind"'] = 0
    assert {f["id"] for f in examine(stub, config)["findings"]} == {"BindNotCalled", "BoundByOthers"}
    advice = yaml.safe_load(ctl("scheduler-config", "--advise").out)
    advice["path"] = config["path"]
    only(examine(stub, advice), "AdviceOnly", "warning")


def test_bind_timeout_beyond_the_schedulers(stub, facts, config):
    facts.policy = {"spec": {"limits": {"bindTimeout": "12s"}}}
    only(examine(stub, config), "TimeoutShort", "warning")


def test_a_plain_listener_beside_the_scheduler_is_meant(stub, facts, config):
    facts.metrics[EXPIRY] = {}
    only(examine(stub, config), "ListenerPlain", "warning")
    entry(urlPrefix="http://127.0.0.1:8443/scheduler/v1")(config)
    without("enableHTTPS", "tlsConfig")(config)
    assert examine(stub, config)["findings"] == []
    del facts.metrics[EXPIRY]
    assert "ListenerPlain" not in {f["id"] for f in examine(stub, config)["findings"]}


def test_settings_are_judged_without_a_daemon(config):
    config["extenders"][0]["ignorable"] = True
    path = config.pop("path")
    path.write_text(json.dumps(config))
    result = ctl("doctor", "-o", "json", "--scheduler-config", path, server="http://127.0.0.1:1")
    assert result.status == 6
    assert [f["id"] for f in result.json()["findings"]] == ["Ignorable"]


# --- files ---------------------------------------------------------------------------------------


def certificate(path, days):
    subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256",
                    "-nodes", "-keyout", str(path) + ".key", "-out", str(path), "-days", str(days),
                    "-subj", "/CN=shikiri"], check=True, capture_output=True, timeout=60)
    return path


@pytest.mark.parametrize("flag", ["--ca", "--cert"])
def test_certificates_that_are_given(stub, tmp_path, flag):
    good = certificate(tmp_path / "good.crt", 365)
    ending = certificate(tmp_path / "ending.crt", 3)
    key = ["--key", str(good) + ".key"] if flag == "--cert" else []
    assert examine(stub, None, flag, good, *key)["findings"] == []
    key = ["--key", str(ending) + ".key"] if flag == "--cert" else []
    (what,) = only(examine(stub, None, flag, ending, *key), "CertificateEnding", "warning")
    assert "ending.crt ends soon; days left: 3" in what


@pytest.mark.parametrize("args,status,word", [
    (["--scheduler-config", "nowhere.yaml"], 66, "nowhere.yaml"),
    (["--scheduler-config", "bad.yaml"], 65, "bad.yaml"),
    (["--scheduler-config", "empty.yaml"], 65, "empty"),
    (["--ca", "bad.yaml"], 65, "no PEM"), (["--cert", "nowhere.crt"], 66, "nowhere.crt"),
    (["more"], 64, "more"), (["--bypas"], 64, "--bypass")])
def test_what_cannot_be_read(stub, tmp_path, args, status, word):
    (tmp_path / "bad.yaml").write_text("a: [\n")
    (tmp_path / "empty.yaml").write_text("# nothing\n")
    words = [str(tmp_path / a) if "." in a else a for a in args]
    result = ctl("doctor", *words, server=stub.url)
    assert (result.status, result.out) == (status, "")
    assert word in result.err


def test_every_finding_has_its_row():
    page = (harness.ROOT / "docs" / "reference" / "cli.md").read_text()
    told = dict(re.findall(r"^\| (\w+) \| (error|warning) \|", page, re.M))
    rows = {}
    for path in (harness.ROOT / "cmd" / "shikirictl").glob("doctor_*.c"):
        rows.update(re.findall(r'\{"(\w+)", DOCTOR_(\w+), check_', path.read_text()))
    assert len(rows) > 30
    assert told == {rule: severity.lower() for rule, severity in rows.items()}
