"""The fake API server's lists and watches behave as the real one's: what clients of it lean on."""
import pytest

from api_client import Client
from fakeapi import FakeApi

PODS, NODES = "/api/v1/pods", "/api/v1/nodes"


def a_node(name, **labels):
    return {"kind": "Node", "metadata": {"name": name, "labels": labels},
            "status": {"capacity": {"nvidia.com/gpu": "8"}, "allocatable": {"nvidia.com/gpu": "8"}}}


def a_pod(name, ns="team", **spec):
    return {"kind": "Pod", "metadata": {"name": name, "namespace": ns},
            "spec": {"containers": [{"name": "main"}], **spec}}


@pytest.fixture
def api():
    with FakeApi() as one:
        yield one


@pytest.fixture
def client(api):
    return Client(api)


def expect_refused(answer, code, reason):
    status, body = answer
    assert (status, body["kind"], body["reason"], body["code"]) == (code, "Status", reason, code)
    return body


# --- lists --------------------------------------------------------------------------------------


def test_kinds_and_items(api, client):
    api.create(a_node("n1"))
    api.create({"kind": "PriorityClass", "metadata": {"name": "high"}, "value": 1000})
    status, body = client.get(NODES)
    assert (status, body["kind"], body["apiVersion"]) == (200, "NodeList", "v1")
    assert "kind" not in body["items"][0]
    status, body = client.get("/apis/scheduling.k8s.io/v1/priorityclasses")
    assert (body["kind"], body["apiVersion"]) == ("PriorityClassList", "scheduling.k8s.io/v1")
    assert body["items"][0]["value"] == 1000
    status, body = client.get(NODES + "/n1")
    assert (body["kind"], body["metadata"]["uid"] != "") == ("Node", True)


def test_one_counter_for_all_kinds(api, client):
    first = int(api.create(a_node("n1"))["metadata"]["resourceVersion"])
    assert int(api.create(a_pod("p1"))["metadata"]["resourceVersion"]) == first + 1
    assert client.get(NODES)[1]["metadata"]["resourceVersion"] == str(first + 1)


def test_unchanged_objects_keep_their_version(api):
    api.create(a_node("n1", a="b"))
    rv = api.store.rv
    kept = api.set_node("n1", labels={"a": "b"})["metadata"]["resourceVersion"]
    assert kept == str(rv) == str(api.store.rv)


def test_namespaces_and_order(api, client):
    api.create_all([a_pod("b", "two"), a_pod("a", "two"), a_pod("c", "one")])
    assert client.names(PODS) == ["c", "a", "b"]
    assert client.names("/api/v1/namespaces/two/pods") == ["a", "b"]


@pytest.mark.parametrize("query,names", [
    ({"fieldSelector": "spec.nodeName="}, ["free"]),
    ({"fieldSelector": "spec.nodeName!=,status.phase!=Failed"}, ["placed"]),
    ({"fieldSelector": "metadata.name==failed"}, ["failed"]),
    ({"labelSelector": "app=x"}, ["placed"]),
    ({"labelSelector": "!app"}, ["failed", "free"]),
])
def test_selectors(api, client, query, names):
    api.create(a_pod("free"))
    placed = a_pod("placed", nodeName="n1")
    placed["metadata"]["labels"] = {"app": "x"}
    api.create_all([placed, {**a_pod("failed", nodeName="n1"), "status": {"phase": "Failed"}}])
    assert client.names(PODS, **query) == names


def test_unknown_field_selectors_are_refused(client):
    expect_refused(client.get(PODS, fieldSelector="spec.color=red"), 400, "BadRequest")


@pytest.mark.parametrize("path", [
    "/", "/api/v1/secrets", "/api/v1/namespaces/team/nodes", "/apis/apps/v1/pods",
    "/apis/scheduling.k8s.io/v1/pods", "/api/v1/nodes/none"])
def test_anything_else_is_not_found(client, path):
    expect_refused(client.get(path), 404, "NotFound")


def test_pages_show_one_state(api, client):
    api.create_all([a_pod(f"p{i}") for i in range(5)])
    status, first = client.get(PODS, limit=2)
    assert first["metadata"]["remainingItemCount"] == 3
    api.remove("pods", "p3", "team")
    api.create(a_pod("p9"))
    status, second = client.get(PODS, limit=2, **{"continue": first["metadata"]["continue"]})
    status, third = client.get(PODS, limit=2, **{"continue": second["metadata"]["continue"]})
    names = [item["metadata"]["name"] for page in (first, second, third) for item in page["items"]]
    assert names == ["p0", "p1", "p2", "p3", "p4"]
    assert {page["metadata"]["resourceVersion"] for page in (first, second, third)} == \
        {first["metadata"]["resourceVersion"]}
    assert "continue" not in third["metadata"]


def test_a_list_from_the_cache_knows_no_pages(api, client):
    api.create_all([a_pod(f"p{i}") for i in range(5)])
    status, body = client.get(PODS, limit=2, resourceVersion=0)
    assert len(body["items"]) == 5 and "continue" not in body["metadata"]


def test_a_token_of_forgotten_history_is_expired(api, client):
    api.create_all([a_pod(f"p{i}") for i in range(5)])
    token = client.get(PODS, limit=2)[1]["metadata"]["continue"]
    api.create(a_pod("p9"))
    api.compact()
    expect_refused(client.get(PODS, limit=2, **{"continue": token}), 410, "Expired")


@pytest.mark.parametrize("query,code", [
    ({"resourceVersion": "abc"}, 422),
    ({"resourceVersionMatch": "Exact"}, 422),
    ({"resourceVersion": "0", "resourceVersionMatch": "Exact"}, 422),
    ({"resourceVersion": "7", "resourceVersionMatch": "Newest"}, 422),
    ({"continue": "abc"}, 400),
    ({"limit": "-1"}, 400),
])
def test_list_options_are_checked(client, query, code):
    assert client.get(PODS, **query)[0] == code


def test_versions_of_lists(api, client):
    old = api.create(a_pod("p1"))["metadata"]["resourceVersion"]
    now = api.create(a_pod("p2"))["metadata"]["resourceVersion"]
    assert client.names(PODS) == client.names(PODS, resourceVersion=old) == ["p1", "p2"]
    assert client.names(PODS, resourceVersion=old, resourceVersionMatch="Exact") == ["p1"]
    body = expect_refused(client.get(PODS, resourceVersion=int(now) + 1), 504, "Timeout")
    assert body["details"]["causes"][0]["reason"] == "ResourceVersionTooLarge"
    api.compact()
    expect_refused(client.get(PODS, resourceVersion=old, resourceVersionMatch="Exact"), 410, "Expired")


def test_small_bodies_have_a_length_and_large_ones_chunks(api, client):
    assert "Content-Length" in client.request("GET", PODS)[2]
    api.create_all([a_pod(f"p{i:03}") for i in range(300)])
    status, body, headers = client.request("GET", PODS)
    assert headers["Transfer-Encoding"] == "chunked" and len(body["items"]) == 300


# --- watches ------------------------------------------------------------------------------------


def test_a_watch_goes_on_from_a_version(api, client):
    api.create(a_pod("before"))
    rv = client.get(PODS)[1]["metadata"]["resourceVersion"]
    api.create(a_pod("after"))
    with client.watch(PODS, resourceVersion=rv) as watch:
        assert watch.names(1) == [("ADDED", "after")]
        api.change("pods", "after", lambda pod: pod["spec"].update(priority=1), "team")
        api.remove("pods", "before", "team")
        changed, gone = watch.take(2)
    assert (changed[0], changed[1]["kind"], changed[1]["spec"]["priority"]) == ("MODIFIED", "Pod", 1)
    assert (gone[0], gone[1]["metadata"]["resourceVersion"]) == ("DELETED", str(api.store.rv))


def test_a_watch_without_a_version_begins_with_what_is_there(api, client):
    api.create_all([a_pod("a"), a_pod("b")])
    with client.watch(PODS, resourceVersion=0) as watch:
        assert watch.names(2) == [("ADDED", "a"), ("ADDED", "b")]
        api.create(a_pod("c"))
        assert watch.names(1) == [("ADDED", "c")]


def test_selected_objects_come_and_go(api, client):
    api.create(a_pod("p"))
    with client.watch(PODS, resourceVersion=api.store.rv, fieldSelector="spec.nodeName=") as watch:
        api.change("pods", "p", lambda pod: pod["spec"].update(nodeName="n1"), "team")
        api.create(a_pod("q"))
        assert watch.names(2) == [("DELETED", "p"), ("ADDED", "q")]


def test_bookmarks_are_for_those_who_ask(api, client):
    api.create(a_node("n1"))
    with client.watch(PODS, resourceVersion=api.store.rv, allowWatchBookmarks="true") as asks, \
            client.watch(PODS, resourceVersion=api.store.rv) as does_not:
        api.wait_for(lambda: len(api.feeds.of("pods")) == 2)
        assert api.bookmark("pods") == 2
        kind, value = asks.next()
        assert (kind, value["kind"]) == ("BOOKMARK", "Pod")
        assert value["metadata"]["resourceVersion"] == str(api.store.rv)
        api.create(a_pod("p"))
        assert does_not.names(1) == [("ADDED", "p")]


def test_bookmarks_come_by_themselves(api, client):
    api.bookmarks = 0.01
    with client.watch(NODES, resourceVersion=api.store.rv, allowWatchBookmarks="true") as watch:
        assert [kind for kind, _ in watch.take(2)] == ["BOOKMARK", "BOOKMARK"]


def test_a_watch_ends_after_its_time(api, client):
    with client.watch(PODS, resourceVersion=api.store.rv, timeoutSeconds=1) as watch:
        assert watch.next() is None
    assert api.wait_for(lambda: api.journal.all(watch=True, outcome=200))


def test_a_forgotten_version_is_an_event_or_a_status(api, client):
    old = api.create(a_pod("p"))["metadata"]["resourceVersion"]
    api.create(a_pod("q"))
    api.compact()
    with client.watch(PODS, resourceVersion=old) as watch:
        kind, value = watch.next()
        assert (watch.status, kind, value["code"], value["reason"]) == (200, "ERROR", 410, "Expired")
        assert watch.next() is None
    api.expired_as = "status"
    with client.watch(PODS, resourceVersion=old) as watch:
        assert watch.status == 410


def test_a_watch_list_is_refused(client):
    status, body = client.get(PODS, watch=1, sendInitialEvents="true", resourceVersionMatch="NotOlderThan")
    assert status == 422


def test_whoever_leaves_is_noticed(api, client):
    with client.watch(PODS, resourceVersion=api.store.rv):
        api.wait_watching("pods")
    api.wait_for(lambda: not api.feeds.of("pods"))
    assert api.journal.all(watch=True)[0].outcome == "cut"


def test_watches_end_and_drop_on_demand(api, client):
    for act, rest in ((api.end_watches, b""), (api.drop_watches, None)):
        with client.watch(PODS, resourceVersion=api.store.rv) as watch:
            api.wait_watching("pods")
            assert act("pods") == 1
            if rest is None:
                with pytest.raises(Exception, match="IncompleteRead"):
                    watch.reply.read()
            else:
                assert watch.reply.read() == rest
