"""shikirictl scheduler-config: what kube-scheduler is told about us, in both forms."""
import json

import pytest
import yaml

import harness
import shapes
from test_cli import SNAPSHOT, ctl

OFFERED = ["nvidia.com/gpu", "nvidia.com/gpu.shared", "nvidia.com/mig-1g.10gb",
           "nvidia.com/mig-2g.20gb", "nvidia.com/mig-3g.40gb"]
ALWAYS = {"filterVerb": "filter", "prioritizeVerb": "prioritize", "preemptVerb": "preempt",
          "bindVerb": "bind", "weight": 150, "nodeCacheCapable": True, "ignorable": False,
          "httpTimeout": "10s"}
# Every key that kube-scheduler's strict decoder may meet in what we print.
KNOWN = {
    "": {"apiVersion", "kind", "leaderElection", "clientConnection", "percentageOfNodesToScore",
         "profiles", "extenders"},
    "leaderElection": {"leaderElect", "resourceName", "resourceNamespace"},
    "clientConnection": {"kubeconfig"},
    "profiles": {"schedulerName", "plugins", "pluginConfig"},
    "extenders": {*ALWAYS, "urlPrefix", "enableHTTPS", "tlsConfig", "managedResources"},
    "tlsConfig": {"caFile", "certFile", "keyFile"},
    "managedResources": {"name", "ignoredByScheduler"},
}


def config(*args, server=None):
    result = ctl("scheduler-config", *args, server=server)
    assert result.status == 0, result
    return yaml.safe_load(result.out)


def extender(*args, server=None):
    (only,) = config(*args, server=server)["extenders"]
    return only


def managed(entry):
    assert all(row["ignoredByScheduler"] is False for row in entry["managedResources"])
    return [row["name"] for row in entry["managedResources"]]


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    one = harness.Daemon(tmp_path_factory.mktemp("example"),
                         json.loads(SNAPSHOT.read_text())["items"], shapes.DOCUMENTS).start()
    yield one.admin.url
    one.stop()


# --- what both forms have ------------------------------------------------------------------------


FORMS = [("--topology", "second"), ("--topology", "default", "--snapshot", SNAPSHOT)]


@pytest.mark.parametrize("args", FORMS)
def test_the_extender_is_registered_as_it_needs_to_be(args):
    entry = extender(*args)
    assert {key: entry[key] for key in ALWAYS} == ALWAYS
    assert entry["urlPrefix"] == "https://shikiri.shikiri-system.svc:8443/scheduler/v1"
    assert config(*args)["percentageOfNodesToScore"] == 100


@pytest.mark.parametrize("args", FORMS)
def test_https_never_comes_without_a_ca_and_a_client_certificate(args):
    entry = extender(*args)
    assert entry["enableHTTPS"] is True
    assert entry["tlsConfig"] == {"caFile": "/etc/shikiri/tls/ca.crt",
                                  "certFile": "/etc/shikiri/tls/tls.crt",
                                  "keyFile": "/etc/shikiri/tls/tls.key"}


@pytest.mark.parametrize("args", FORMS)
def test_plain_http_on_loopback_has_no_tls(args):
    entry = extender(*args, "--url-prefix", "http://127.0.0.1:8443/scheduler/v1")
    assert entry["urlPrefix"] == "http://127.0.0.1:8443/scheduler/v1"
    assert "enableHTTPS" not in entry and "tlsConfig" not in entry


@pytest.mark.parametrize("args", FORMS)
def test_only_fields_that_kube_scheduler_knows(args):
    def look(value, place):
        if isinstance(value, list):
            for item in value:
                look(item, place)
        elif isinstance(value, dict) and place in KNOWN:
            assert set(value) <= KNOWN[place], place
            for key, item in value.items():
                look(item, key)

    printed = config(*args)
    look(printed, "")
    assert printed["apiVersion"] == "kubescheduler.config.k8s.io/v1"
    assert printed["kind"] == "KubeSchedulerConfiguration"


@pytest.mark.parametrize("args", FORMS)
def test_every_output_says_the_same(args):
    printed = config(*args)
    assert config(*args, "-o", "yaml") == printed
    assert ctl("scheduler-config", *args, "-o", "json").json() == printed


# --- a second scheduler --------------------------------------------------------------------------


def test_second_is_the_default_and_asks_nobody():
    assert config(server="http://127.0.0.1:1") == config("--topology", "second")


def test_second_manages_everything_and_packs():
    printed = config()
    assert managed(printed["extenders"][0]) == []
    (profile,) = printed["profiles"]
    assert profile["schedulerName"] == "shikiri-scheduler"
    args = {row["name"]: row["args"] for row in profile["pluginConfig"]}
    assert args["NodeResourcesFit"]["scoringStrategy"]["type"] == "MostAllocated"
    assert args["PodTopologySpread"] == {"defaultingType": "List", "defaultConstraints": []}
    assert profile["plugins"] == {"score": {"disabled": [
        {"name": "NodeResourcesBalancedAllocation"}]}}
    assert "clientConnection" not in printed


def test_second_has_a_lease_of_its_own():
    assert config()["leaderElection"] == {
        "leaderElect": True, "resourceName": "shikiri-scheduler",
        "resourceNamespace": "shikiri-system"}
    other = config("--scheduler-name", "gpu", "-n", "infra")
    assert other["profiles"][0]["schedulerName"] == "gpu"
    assert other["leaderElection"]["resourceName"] == "gpu"
    assert other["leaderElection"]["resourceNamespace"] == "infra"
    assert other["extenders"][0]["urlPrefix"] == "https://shikiri.infra.svc:8443/scheduler/v1"


# --- the cluster's own scheduler -----------------------------------------------------------------


def test_default_manages_what_the_live_nodes_offer(server):
    assert managed(extender("--topology", "default", server=server)) == OFFERED


def test_default_reads_a_snapshot_like_the_daemon():
    assert managed(extender("--topology", "default", "--snapshot", SNAPSHOT,
                            server="http://127.0.0.1:1")) == OFFERED


def test_default_merges_snapshots_and_names_each_resource_once(tmp_path):
    files = []
    for at, nodes in enumerate(([shapes.cards("a"), shapes.mixed("b", {"1g.10gb": 7})],
                                [shapes.cards("c"), shapes.node("d", {"nvidia.com/mig-9g.1tb": 0}, {})])):
        files.append(tmp_path / f"{at}.json")
        files[-1].write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": nodes}))
    assert managed(extender("--topology", "default", "--snapshot", files[0],
                            "--snapshot", files[1])) == [
        "nvidia.com/gpu", "nvidia.com/mig-1g.10gb", "nvidia.com/mig-9g.1tb"]


def test_default_leaves_everybodys_scoring_alone():
    printed = config(*FORMS[1])
    assert printed["profiles"] == [{"schedulerName": "default-scheduler"}]
    assert printed["leaderElection"] == {"leaderElect": True}
    assert printed["clientConnection"] == {"kubeconfig": "/etc/kubernetes/scheduler.conf"}


def test_default_says_that_service_names_do_not_resolve():
    args = ("scheduler-config", *FORMS[1])
    assert "ClusterIP" in ctl(*args).err
    assert ctl(*args, "--url-prefix", "https://10.96.0.50:8443/scheduler/v1").err == ""


def test_default_without_gpus_is_refused(tmp_path):
    snapshot = tmp_path / "cpu.json"
    snapshot.write_text(json.dumps({"apiVersion": "v1", "kind": "List",
                                    "items": [shapes.node("cpu", {}, {})]}))
    result = ctl("scheduler-config", "--topology", "default", "--snapshot", snapshot)
    assert (result.status, result.out) == (1, "")
    assert "every pod of the cluster" in result.err


def test_default_without_a_daemon_says_so():
    result = ctl("scheduler-config", "--topology", "default", server="http://127.0.0.1:1")
    assert (result.status, result.out) == (6, "")


# --- advice --------------------------------------------------------------------------------------


@pytest.mark.parametrize("args", FORMS)
def test_an_adviser_only_filters_and_may_be_missing(args):
    entry = extender(*args, "--advise")
    assert [key for key in entry if key.endswith("Verb")] == ["filterVerb"]
    assert entry["ignorable"] is True
    assert entry["nodeCacheCapable"] is True and "weight" not in entry


# --- what is refused -----------------------------------------------------------------------------


@pytest.mark.parametrize("args,word", [
    (("--topology", "third"), "third"),
    (("more",), "more"),
    (("--url-prefix", "http://shikiri.svc:8443/scheduler/v1"), "loopback"),
    (("--url-prefix", "shikiri:8443"), "--url-prefix"),
    (("--url-prefix", "ftp://127.0.0.1/x"), "--url-prefix"),
    (("--url-prefix", "https://user@shikiri:8443/scheduler/v1"), "--url-prefix"),
    (("--url-prefix", "https://shikiri:8443/scheduler/v1?x=1"), "--url-prefix"),
    (("--url-prefix", 'https://shikiri:8443/"\nignorable: true'), "--url-prefix"),
    (("--url-prefix", "http://127.0.0.1:1/scheduler/v1", "--tls-ca", "/ca"), "https"),
    (("--tls-ca", "/ca\\x"), "--tls-ca"),
    (("--scheduler-name", "Not A Name"), "--scheduler-name"),
    (("-n", "a.b"), "--namespace"),
    (("--snapshot", "x"), "--snapshot"),
    (("--kubeconfig", "x"), "--kubeconfig"),
    (("--topology", "default", "--scheduler-name", "x"), "--scheduler-name"),
])
def test_what_cannot_be_meant_is_refused(args, word):
    result = ctl("scheduler-config", *args)
    assert (result.status, result.out) == (64, "")
    assert word in result.err


# --- probe ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("what", ["livez", "readyz"])
def test_probe_is_quiet_when_all_is_well(server, what):
    result = ctl("probe", what, server=server)
    assert (result.status, result.out, result.err) == (0, "", "")


def test_probe_fails_when_nobody_answers():
    assert ctl("probe", "livez", server="http://127.0.0.1:1").status == 6


@pytest.mark.parametrize("words", [(), ("x",), ("livez", "readyz")])
def test_probe_takes_one_of_two_words(words):
    assert ctl("probe", *words).status == 64
