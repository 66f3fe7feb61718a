"""Who we are to the API server, and what we never ask of it."""
import pytest
import yaml

import harness
import pki
import shapes
from fakeapi import FakeApi
from harness import API
from live import GPU, NODES, World, eventually

MANIFESTS = harness.ROOT / "deploy" / "manifests"


def rights(file):
    """What the ClusterRole in a manifest gives: {(verb, resource)}."""
    roles = [doc for doc in yaml.safe_load_all((MANIFESTS / file).read_text()) if doc["kind"] == "ClusterRole"]
    return {(verb, resource) for role in roles for rule in role["rules"]
            for verb in rule["verbs"] for resource in rule["resources"]}


SHIPPED, READS = rights("10-rights.yaml"), rights("advise/10-rights.yaml")


def test_the_manifests_give_what_they_say():
    assert READS < SHIPPED and {verb for verb, _ in READS} == {"get", "list", "watch"}
    assert SHIPPED - READS == {("create", "pods/binding"), ("patch", "pods/status"),
                               ("create", "events"), ("patch", "events")}


def live_through_it_all(world, daemon):
    """Binds, refusals, adoption, a nudge, an end."""
    pod, other = world.pod("p", {GPU: 8}), world.pod("other", {GPU: 9})
    daemon.schedule(pod)
    daemon.verdicts(other)
    world.running("foreign", "cards-c")
    world.api.create(shapes.cards("large", n=16))
    eventually(lambda: world.condition(other), "the other is nudged")
    daemon.schedule(other, ["large"])
    world.api.delete_pod("p", "vision-train")
    daemon.wait_state(pod, "")
    daemon.assert_settled()


def test_the_shipped_rights_are_enough(world):
    world.api.tokens, world.api.allow = {"t": "shikiri"}, SHIPPED
    daemon = world.start(user={"token": "t"})
    live_through_it_all(world, daemon)
    assert [str(r) for r in world.api.journal.all(outcome=403)] == []
    assert {r.method for r in world.api.journal.all()} <= {"GET", "POST", "PATCH"}
    eventually(lambda: world.api.objects("events"), "events were told")


def test_advice_needs_reading_alone_and_writes_nothing(world):
    world.api.tokens, world.api.allow = {"t": "shikiri"}, READS
    daemon = world.start(user={"token": "t"}, args=["--mode", "advise"])
    pod, other = world.pod("p", {GPU: 8}), world.pod("other", {GPU: 9})
    assert daemon.passes(pod) == daemon.passes(other) == NODES
    assert daemon.passes(pod, ["nowhere"]) == ["nowhere"]
    assert daemon.bind(pod, "cards-a") == "AdviseOnly"
    adopted = world.running("foreign", "cards-c")
    daemon.wait_state(adopted, "foreign")
    world.api.delete_pod("foreign", "vision-train")
    daemon.wait_state(adopted, "")
    daemon.apply(shapes.DOCUMENTS.replace('"20"', '"19"'))
    world.api.create(shapes.cards("large", n=16))
    eventually(lambda: daemon.admin.get(API + "/nodes/large").status == 200, "the node is known")
    world.seen(daemon)
    assert world.api.journal.writes() == [] and world.node_of(pod) == ""


def test_a_missing_right_is_told(world):
    world.api.tokens, world.api.allow = {"t": "shikiri"}, SHIPPED - {("create", "pods/binding")}
    daemon = world.start(user={"token": "t"})
    pod = world.pod("p")
    text = daemon.bind_error(pod, "cards-a")
    assert text.startswith("ApiRefused: ") and "pods/binding" in text
    assert daemon.state(pod) == "" and len(world.api.journal.binds()) == 1


def test_events_that_may_not_be_told_harm_nobody(world):
    world.api.tokens = {"t": "shikiri"}
    world.api.allow = SHIPPED - {("create", "events"), ("patch", "events")}
    daemon = world.start(user={"token": "t"})
    live_through_it_all(world, daemon)


def test_no_right_to_list_is_not_ready(world):
    world.api.tokens, world.api.allow = {"t": "shikiri"}, SHIPPED - {("list", "pods")}
    daemon = world.daemon(user={"token": "t"}).start(ready=False)
    world.api.wait_for(lambda: world.api.journal.all("GET", "/pods", outcome=403), "it tried")
    assert set(daemon.verdicts(shapes.pod("p", {GPU: 1})).values()) == {"NotReady"}
    text = daemon.admin.get("/readyz?verbose").text
    assert "pods" in text
    world.api.allow = SHIPPED
    daemon.wait_ready()


# --- tokens -------------------------------------------------------------------------------------


def test_a_token_of_a_file_is_read_again_when_it_is_refused(world, tmp_path):
    token = tmp_path / "token"
    token.write_text("first\n")
    world.api.tokens = {"first": "shikiri"}
    daemon = world.start(user={"tokenFile": token})
    pod = world.pod("p")
    token.write_text("second\n")
    world.api.tokens = {"second": "shikiri"}
    assert daemon.bind_error(pod, "cards-a") == ""
    assert world.api.journal.all(outcome=401) and world.api.journal.binds()[-1].outcome == 201
    daemon.assert_settled()


def test_a_token_that_stays_wrong_binds_nothing(world):
    world.api.tokens = {"t": "shikiri"}
    daemon = world.start(user={"token": "t"})
    pod = world.aside("p")
    world.seen(daemon)
    world.api.tokens = {}
    assert daemon.bind(pod, "cards-a") == "ApiRefused"
    assert len(world.api.journal.binds()) <= 2 and daemon.state(pod) == ""


def test_the_token_goes_nowhere_else(world):
    world.api.tokens = {"very-secret": "shikiri"}
    daemon = world.start(user={"token": "very-secret"}, args=["--log-level", "debug"])
    daemon.schedule(world.pod("p"))
    world.api.tokens = {}
    world.api.drop_watches()
    world.api.wait_for(lambda: world.api.journal.all(outcome=401), "it is refused")
    daemon.stop()
    assert "very-secret" not in daemon.log()
    assert b"very-secret" not in (daemon.directory / "ledger.db").read_bytes()


# --- TLS ----------------------------------------------------------------------------------------


@pytest.fixture
def authority(tmp_path):
    directory = tmp_path / "pki"
    directory.mkdir()
    return pki.Authority(directory)


@pytest.fixture
def tls(tmp_path, authority):
    """A world whose API server speaks TLS and knows callers by certificate."""
    with FakeApi(tokens={}, cert=authority.path("tls.crt"), key=authority.path("tls.key"),
                 client_ca=authority.path("ca.crt")) as api:
        one = World(tmp_path, api)
        yield one
        one.close()


def identity(authority, name="client"):
    return {"client-certificate": authority.path(f"{name}.crt"), "client-key": authority.path(f"{name}.key")}


def test_certificates_both_ways(tls, authority):
    daemon = tls.start(user=identity(authority), ca_file=authority.path("ca.crt"))
    daemon.schedule(tls.pod("p"))
    assert {r.user for r in tls.api.journal.all()} == {"system:kube-scheduler"}
    daemon.assert_settled()


def test_a_server_of_another_ca_is_not_believed(tls, authority, tmp_path):
    stranger = tmp_path / "stranger"
    stranger.mkdir()
    ca_file = pki.Authority(stranger).path("ca.crt")
    daemon = tls.daemon(user=identity(authority), ca_file=ca_file).start(ready=False)
    eventually(lambda: "certificate" in daemon.admin.get("/readyz?verbose").text.lower(), "it says why")
    assert not daemon.is_ready() and tls.api.journal.all() == []


def test_a_server_of_another_name_is_not_believed(tls, authority):
    authority.sign("other", subject="/CN=other", extensions="subjectAltName=DNS:other.example")
    tls.api.use_certificate(authority.path("other.crt"), authority.path("other.key"))
    daemon = tls.daemon(user=identity(authority), ca_file=authority.path("ca.crt")).start(ready=False)
    eventually(lambda: daemon.admin.get("/readyz?verbose").text.count("failed") or
               "SSL" in daemon.admin.get("/readyz?verbose").text, "it says why")
    assert not daemon.is_ready() and tls.api.journal.all() == []


def test_a_new_certificate_of_the_server(tls, authority):
    daemon = tls.start(user=identity(authority), ca_file=authority.path("ca.crt"))
    authority.sign("renewed", subject="/CN=renewed", extensions="subjectAltName=IP:127.0.0.1")
    tls.api.use_certificate(authority.path("renewed.crt"), authority.path("renewed.key"))
    tls.api.drop_watches()
    late = tls.running("late", "cards-a")
    daemon.wait_state(late, "foreign")


def test_a_new_certificate_of_ours(tls, authority):
    """Files are renewed under us; a new connection shows the new ones."""
    authority.sign("mine", subject="/CN=first")
    daemon = tls.start(user=identity(authority, "mine"), ca_file=authority.path("ca.crt"))
    authority.sign("mine", subject="/CN=second")

    def second():
        tls.api.drop_watches()
        return [r for r in tls.api.journal.all() if r.user == "second"]
    eventually(second, "the new name is shown", timeout=90)
    assert daemon.is_ready()


# --- kubeconfig ---------------------------------------------------------------------------------


@pytest.mark.parametrize("old,new,word", [
    ('"user": {}', '"user": {"exec": {"command": "x", "apiVersion": "v1"}}', "kubectl create token"),
    ('"user": {}', '"user": {"auth-provider": {"name": "oidc"}}', "kubectl create token"),
    ('"server":', '"insecure-skip-tls-verify": true, "server":', "insecure-dev"),
    ('"current-context": "fake"', '"current-context": "none"', "none"),
    ("{", "[", ""),
])
def test_kubeconfigs_that_are_refused(world, old, new, word):
    daemon = world.daemon()
    text = daemon.kubeconfig.read_text()
    assert old in text
    daemon.kubeconfig.write_text(text.replace(old, new, 1))
    status, out, errors = harness.run(*daemon.argv[1:])
    assert status in (65, 78) and out == "" and word in errors
    assert world.api.journal.all() == []


def test_a_context_by_name(world):
    daemon = world.daemon(args=["--context", "other"])
    text = daemon.kubeconfig.read_text().replace('"name": "fake", "context"', '"name": "other", "context"')
    daemon.kubeconfig.write_text(text)
    daemon.start()
    assert daemon.is_ready()


def test_redirects_are_not_followed(world):
    moved = world.api.faults.arm("body", code=302, path="/pods$", watch=False, times=None)
    daemon = world.daemon().start(ready=False)
    assert moved.reached.wait(20) and not daemon.is_ready()
