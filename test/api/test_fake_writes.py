"""The fake API server's bindings, status patches, events and rights behave as the real one's."""
import pytest

from api_client import STRATEGIC, Client
from fakeapi import FakeApi
from test_fake_reads import a_node, a_pod, expect_refused

POD = "/api/v1/namespaces/team/pods/p"
EVENTS = "/apis/events.k8s.io/v1/namespaces/team/events"


@pytest.fixture
def api():
    with FakeApi() as one:
        one.kubelet.automatic = False
        one.create(a_node("n1"))
        one.create(a_pod("p"))
        yield one


@pytest.fixture
def client(api):
    return Client(api)


def the_pod(api):
    return api.get("pods", "p", "team")


def binding(node="n1", **meta):
    return {"apiVersion": "v1", "kind": "Binding", "metadata": {"name": "p", **meta},
            "target": {"apiVersion": "v1", "kind": "Node", "name": node}}


# --- bindings -----------------------------------------------------------------------------------


def test_a_binding_takes_its_annotations_along(api, client):
    api.change("pods", "p", lambda pod: pod["metadata"].update(annotations={"a": "1", "b": "1"}), "team")
    meta = the_pod(api)["metadata"]
    status, body = client.post(POD + "/binding", binding(
        uid=meta["uid"], resourceVersion=meta["resourceVersion"], annotations={"b": "2"}, labels={"c": "3"}))
    assert (status, body["kind"], body["status"], body["code"]) == (201, "Status", "Success", 201)
    pod = the_pod(api)
    assert pod["spec"]["nodeName"] == "n1"
    assert pod["metadata"]["annotations"] == {"a": "1", "b": "2"} and pod["metadata"]["labels"] == {"c": "3"}
    assert pod["status"]["conditions"] == [{"type": "PodScheduled", "status": "True"}]
    assert api.journal.binds()[0].committed


def test_the_node_of_a_binding_need_not_exist(api, client):
    assert client.post(POD + "/binding", binding("nowhere"))[0] == 201
    assert api.node_of("p", "team") == "nowhere"


def gate(pod):
    pod["spec"]["schedulingGates"] = [{"name": "wait"}]


def going(pod):
    pod["metadata"]["deletionTimestamp"] = "2026-01-01T00:00:00Z"


def placed(pod):
    pod["spec"]["nodeName"] = "n1"


@pytest.mark.parametrize("before,meta,text", [
    (gate, {}, "has non-empty .spec.schedulingGates"),
    (going, {}, "is being deleted, cannot be assigned to a host"),
    (placed, {}, 'is already assigned to node "n1"'),
    (None, {"uid": "other"}, "Precondition failed: UID in precondition: other"),
    (None, {"resourceVersion": "7"}, "Precondition failed: ResourceVersion in precondition: 7"),
])
def test_a_binding_conflicts(api, client, before, meta, text):
    if before:
        api.change("pods", "p", before, "team")
    was = the_pod(api)
    body = expect_refused(client.post(POD + "/binding", binding(**meta)), 409, "Conflict")
    assert text in body["message"]
    assert the_pod(api) == was and not api.journal.binds()[0].committed


def test_a_binding_of_nobody(client):
    other = "/api/v1/namespaces/team/pods/none/binding"
    value = binding()
    value["metadata"]["name"] = "none"
    body = expect_refused(client.post(other, value), 404, "NotFound")
    assert body["message"] == 'pods "none" not found'
    assert client.post(other, binding())[0] == 400  # names another pod


@pytest.mark.parametrize("target", [{}, {"kind": "Node"}, {"kind": "Pod", "name": "x"}])
def test_a_binding_needs_a_node(client, target):
    assert client.post(POD + "/binding", {**binding(), "target": target})[0] == 422


def test_a_status_patch_lets_no_earlier_binding_land(api, client):
    old = the_pod(api)["metadata"]["resourceVersion"]
    status, pod = client.patch(POD + "/status", {"status": {"conditions": [{"type": "X", "status": "True"}]}})
    assert status == 200 and not pod["spec"].get("nodeName")
    expect_refused(client.post(POD + "/binding", binding(resourceVersion=old)), 409, "Conflict")
    fresh = pod["metadata"]["resourceVersion"]
    assert client.post(POD + "/binding", binding(resourceVersion=fresh))[0] == 201


# --- status patches -----------------------------------------------------------------------------


def conditions(*pairs):
    return {"status": {"conditions": [{"type": name, "reason": reason} for name, reason in pairs]}}


def conditions_of(pod):
    return [(c["type"], c["reason"]) for c in pod["status"]["conditions"]]


def test_conditions_merge_by_type(api, client):
    client.patch(POD + "/status", conditions(("A", "1"), ("B", "1")))
    status, pod = client.patch(POD + "/status", conditions(("B", "2"), ("C", "1")))
    assert status == 200 and pod["kind"] == "Pod"
    assert conditions_of(pod) == [("A", "1"), ("B", "2"), ("C", "1")]
    assert pod["status"]["phase"] == "Pending"


def test_a_merge_patch_replaces_lists(api, client):
    client.patch(POD + "/status", conditions(("A", "1")))
    status, pod = client.patch(POD + "/status", conditions(("B", "1")), "application/merge-patch+json")
    assert conditions_of(pod) == [("B", "1")]


def test_a_patch_that_changes_nothing_moves_nothing(api, client):
    client.patch(POD + "/status", conditions(("A", "1")))
    rv = api.store.rv
    status, pod = client.patch(POD + "/status", conditions(("A", "1")))
    assert (status, api.store.rv, pod["metadata"]["resourceVersion"]) == (200, rv, str(rv))


@pytest.mark.parametrize("meta", [{"uid": "other"}, {"resourceVersion": "7"}])
def test_preconditions_of_a_patch(api, client, meta):
    rv = api.store.rv
    patch = {"metadata": meta, **conditions(("A", "1"))}
    expect_refused(client.patch(POD + "/status", patch), 409, "Conflict")
    assert api.store.rv == rv


def test_a_status_patch_leaves_the_spec_alone(api, client):
    patch = {"spec": {"nodeName": "n1"}, "metadata": {"labels": {"a": "b"}}}
    status, pod = client.patch(POD + "/status", patch)
    assert (status, pod["spec"].get("nodeName"), pod["metadata"]["labels"]) == (200, None, {"a": "b"})


def test_patches_of_other_kinds_are_refused(client):
    assert client.patch(POD + "/status", {}, "application/apply-patch+yaml")[0] == 415
    assert client.patch(POD, {})[0] == 404
    assert client.patch("/api/v1/namespaces/team/pods/none/status", {})[0] == 404


# --- events -------------------------------------------------------------------------------------


def an_event(**more):
    return {"metadata": {"name": "p.1", "namespace": "team"}, "eventTime": "2026-01-01T00:00:00.000000Z",
            "reportingController": "shikiri.dev/shikirid", "reportingInstance": "one", "action": "Binding",
            "reason": "GPUPlaced", "type": "Normal", "note": "a sentence",
            "regarding": {"kind": "Pod", "namespace": "team", "name": "p"}, **more}


def test_events_are_kept(api, client):
    assert client.post(EVENTS, an_event())[0] == 201
    assert client.patch(EVENTS + "/p.1", {"series": {"count": 2}})[0] == 200
    event, = api.objects("events")
    assert (event["reason"], event["series"]) == ("GPUPlaced", {"count": 2})
    assert expect_refused(client.post(EVENTS, an_event()), 409, "AlreadyExists")
    assert client.post(EVENTS, an_event(metadata={"generateName": "p."}))[0] == 201


@pytest.mark.parametrize("more", [
    {"eventTime": None}, {"reason": "x" * 129}, {"note": "x" * 1025}, {"type": "Bad"},
    {"regarding": {"namespace": "other"}}, {"action": ""}, {"metadata": {}}])
def test_events_are_checked(api, client, more):
    assert client.post(EVENTS, an_event(**more))[0] == 422
    assert api.objects("events") == []


def test_an_event_that_is_not_there(client):
    assert client.patch(EVENTS + "/none", {})[0] == 404


# --- who may ------------------------------------------------------------------------------------


def test_tokens(api, client):
    api.tokens = {"secret": "shikiri"}
    body = expect_refused(client.get("/api/v1/pods"), 401, "Unauthorized")
    assert body["message"] == "Unauthorized"
    client.headers["Authorization"] = "Bearer secret"
    assert client.get("/api/v1/pods")[0] == 200
    assert [r.user for r in api.journal.all()] == ["", "shikiri"]


def test_rights(api, client):
    api.tokens, api.allow = {"t": "shikiri"}, {("list", "nodes"), ("patch", "pods/status")}
    client.headers["Authorization"] = "Bearer t"
    assert client.get("/api/v1/nodes")[0] == 200
    body = expect_refused(client.get("/api/v1/pods"), 403, "Forbidden")
    assert body["message"] == ('pods is forbidden: User "shikiri" cannot list resource "pods" in API '
                               'group "" at the cluster scope')
    body = expect_refused(client.post(POD + "/binding", binding()), 403, "Forbidden")
    assert body["message"] == ('pods "p" is forbidden: User "shikiri" cannot create resource '
                               '"pods/binding" in API group "" in the namespace "team"')
    body = expect_refused(client.get("/apis/scheduling.k8s.io/v1/priorityclasses", watch=1), 403, "Forbidden")
    assert body["message"].startswith(
        'priorityclasses.scheduling.k8s.io is forbidden: User "shikiri" cannot watch')
    assert client.patch(POD + "/status", {})[0] == 200


# --- kubelet and deletion -----------------------------------------------------------------------


def phases(api):
    return [(change.type, change.shown.object()["status"]["phase"])
            for change in api.store.changes("pods", 1)]


def test_the_kubelet_starts_what_is_bound(api, client):
    api.kubelet.automatic = True
    client.post(POD + "/binding", binding())
    assert phases(api) == [("MODIFIED", "Pending"), ("MODIFIED", "Running")]


def test_the_kubelet_refuses(api, client):
    api.kubelet.automatic = True
    api.kubelet.refuse_next("OutOfnvidia.com/gpu")
    client.post(POD + "/binding", binding())
    status = the_pod(api)["status"]
    assert (status["phase"], status["reason"]) == ("Failed", "OutOfnvidia.com/gpu")


def test_a_running_pod_ends_before_it_goes(api, client):
    api.kubelet.automatic = True
    client.post(POD + "/binding", binding())
    api.delete_pod("p", "team")
    assert phases(api)[2:] == [("MODIFIED", "Running"), ("MODIFIED", "Failed"), ("DELETED", "Failed")]


def test_a_deleted_pod_waits_for_its_kubelet(api, client):
    client.post(POD + "/binding", binding())
    api.delete_pod("p", "team", grace=5)
    assert the_pod(api)["metadata"]["deletionGracePeriodSeconds"] == 5
    api.kubelet.terminate("team", "p", "Succeeded")
    assert the_pod(api) is None and phases(api)[-1] == ("DELETED", "Succeeded")


@pytest.mark.parametrize("bound", [True, False])
def test_what_goes_at_once(api, client, bound):
    if bound:
        client.post(POD + "/binding", binding())
    api.delete_pod("p", "team", force=bound)
    assert the_pod(api) is None and phases(api)[-1] == ("DELETED", "Pending")


# --- invariants ---------------------------------------------------------------------------------


def test_questions_about_all(api, client):
    limits = {"resources": {"limits": {"nvidia.com/gpu": "5"}}}
    for name in ("a", "b"):
        api.create(a_pod(name, containers=[limits], nodeName="n1"))
    assert api.use_of("nvidia.com/gpu") == {"n1": 10} and len(api.assignments()) == 2
    with pytest.raises(AssertionError, match="10 of 8"):
        api.assert_fits()
    api.kubelet.set_phase("team", "a", "Succeeded")
    api.assert_fits()
    api.assert_bound_once()
    api.change("pods", "b", lambda pod: pod["spec"].update(nodeName="n2"), "team")
    with pytest.raises(AssertionError, match="n1, then n2"):
        api.assert_bound_once()


def test_waiting_for_what_never_comes(api):
    with pytest.raises(AssertionError, match="a miracle: not within"):
        api.wait_for(lambda: False, "a miracle", timeout=0.01)


def test_strategic_deletion(client):
    client.patch(POD + "/status", conditions(("A", "1"), ("B", "1")))
    gone = {"status": {"conditions": [{"type": "A", "$patch": "delete"}]}}
    assert conditions_of(client.patch(POD + "/status", gone, STRATEGIC)[1]) == [("B", "1")]
