"""Lists and objects of the admin API."""
import pytest

import shapes
from harness import API, problem

LISTS = ["/tenants", "/quotas", "/nodes", "/allocations"]


def items(daemon, path):
    response = daemon.admin.get(API + path)
    assert response.status == 200, response
    body = response.json()
    assert set(body) == {"items", "metadata"}
    assert set(body["metadata"]) == {"continue"}
    return body["items"]


@pytest.mark.parametrize("path", LISTS)
def test_lists_are_sorted_and_end(daemon, path):
    names = [item.get("uid") or item["metadata"]["name"] for item in items(daemon, path)]
    assert names == sorted(names)
    assert daemon.admin.get(API + path).json()["metadata"]["continue"] == ""


@pytest.mark.parametrize("path", LISTS)
def test_pages(daemon, path):
    whole = items(daemon, path)
    got, token = [], ""
    for _ in range(len(whole) + 1):
        page = daemon.admin.get(f"{API}{path}?limit=1&continue={token}").json()
        assert len(page["items"]) <= 1
        got += page["items"]
        token = page["metadata"]["continue"]
        if not token:
            break
    assert got == whole


@pytest.mark.parametrize("path", LISTS)
@pytest.mark.parametrize("query", ["limit=0", "limit=1001", "limit=-1", "limit=x", "limit=",
                                   "continue=x", "continue=zz", "continue=1"])
def test_bad_pages(daemon, path, query):
    problem(daemon.admin.get(f"{API}{path}?{query}"), 400, "BadRequest")


@pytest.mark.parametrize("path", LISTS + ["/tenants/vision", "/tenants/vision/quota", "/nodes/gpu-cards",
                                          "/namespaces/nlp/tenant", "/policy", "/export",
                                          "/ledger/verify"])
def test_unknown_parameters_and_methods(daemon, path):
    problem(daemon.admin.get(API + path + "?verbose=1"), 400, "UnknownParameter")
    response = daemon.admin.request("TRACE", API + path)
    problem(response, 405, "MethodNotAllowed")
    assert response.header("Allow").startswith("GET, HEAD")


@pytest.mark.parametrize("path", ["/tenants/", "/tenant", "/tenants/a/b", "/nodes/gpu-cards:drain",
                                  "/policy:check", "", "/", "/grants", "/audit", "/events", "/what-ifs"])
def test_unknown_paths(daemon, path):
    problem(daemon.admin.get(API + path), 404, "NotFound")


@pytest.mark.parametrize("path", ["/tenants/nobody", "/tenants/nobody/quota", "/nodes/nothing",
                                  "/allocations/no-such-uid"])
def test_unknown_objects(daemon, path):
    name = path.split("/")[2]
    assert name in problem(daemon.admin.get(API + path), 404, "NotFound")["detail"]


def test_tenant(daemon):
    assert [t["metadata"]["name"] for t in items(daemon, "/tenants")] == ["nlp", "vision"]
    response = daemon.admin.get(API + "/tenants/vision")
    body = response.json()
    assert body == items(daemon, "/tenants")[1]
    assert body["spec"]["namespaces"] == ["vision-train", "vision-serve"]
    assert body["spec"]["trustDomain"] == "research"
    assert body["metadata"]["uid"] and body["metadata"]["creationTimestamp"]
    assert response.header("ETag") == f'"{body["metadata"]["resourceVersion"]}"'


def test_quota(daemon):
    response = daemon.admin.get(API + "/tenants/vision/quota")
    body = response.json()
    assert body["spec"]["gpuEquivalents"] == {"guaranteed": "12", "ceiling": "20", "lendable": "6"}
    assert {"used", "borrowed", "lent", "overCeiling", "deliverable"} <= set(body["status"]["gpuEquivalents"])
    assert response.header("ETag") == f'"{body["metadata"]["resourceVersion"]}"'
    assert body in items(daemon, "/quotas")


@pytest.mark.parametrize("path", ["/tenants/vision", "/tenants/vision/quota"])
def test_get_is_never_304(daemon, path):
    """Use changes while the document, and so its version, stays."""
    etag = daemon.admin.get(API + path).header("ETag")
    response = daemon.admin.get(API + path, If_None_Match=etag)
    assert response.status == 200 and response.body
    assert response.header("ETag") == etag


@pytest.mark.parametrize("namespace, tenant, code", [
    ("vision-train", "vision", ""), ("nlp", "nlp", ""), ("nobody", "", "TenantUnknown"),
    ("kube-system", "_infrastructure", ""),
])
def test_mapping(daemon, namespace, tenant, code):
    body = daemon.admin.get(f"{API}/namespaces/{namespace}/tenant").json()
    assert body["namespace"] == namespace and body["code"] == code
    assert body["infrastructure"] == (namespace == "kube-system")
    assert body["why"]
    if not body["infrastructure"]:
        assert body["tenant"] == tenant


@pytest.mark.parametrize("name", ["A", "a_b", "x" * 64, "-a", "a%20b"])
def test_mapping_of_what_is_no_name(daemon, name):
    problem(daemon.admin.get(f"{API}/namespaces/{name}/tenant"), 400, "BadRequest")


def test_nodes(daemon):
    nodes = {node["metadata"]["name"]: node for node in items(daemon, "/nodes")}
    assert sorted(nodes) == shapes.NODES
    for name, node in nodes.items():
        assert daemon.admin.get(f"{API}/nodes/{name}").json() == node

    def pools(name):
        return {pool["resource"]: pool for pool in nodes[name]["status"]["pools"]}

    assert pools("gpu-cards")["nvidia.com/gpu"]["kind"] == "card"
    assert pools("gpu-cards")["nvidia.com/gpu"]["free"] == 8
    assert pools("gpu-mixed")["nvidia.com/mig-1g.10gb"]["kind"] == "mig"
    assert pools("gpu-single")["nvidia.com/gpu"]["kind"] == "mig"
    assert pools("gpu-shared")["nvidia.com/gpu.shared"]["kind"] == "shared"
    assert pools("gpu-mps")["nvidia.com/gpu.shared"]["sharing"] == "mps"
    assert pools("gpu-disguised")["nvidia.com/gpu"]["disguised"] is True


def test_policy(daemon):
    policy = daemon.admin.get(API + "/policy").json()
    assert policy["kind"] == "Policy" and policy["apiVersion"] == "shikiri.dev/v1"
    assert policy["spec"]["isolation"]["acrossDomains"] == "mig"


def test_cordon(make_daemon):
    daemon = make_daemon()
    pod = shapes.pod("a", {"nvidia.com/gpu": 1})

    def passed():
        body = shapes.args(pod, ["gpu-cards"])
        return daemon.extender.post("/scheduler/v1/filter", body).json()

    assert passed()["NodeNames"] == ["gpu-cards"]
    response = daemon.admin.post(API + "/nodes/gpu-cards:cordon-gpu")
    assert response.status == 200
    assert response.json()["metadata"]["name"] == "gpu-cards"
    assert passed()["FailedAndUnresolvableNodes"]["gpu-cards"].startswith("GpuCordoned: ")
    with daemon.admin.raw() as raw:  # as `curl -X POST` does it: no body, and no length
        raw.send(f"POST {API}/nodes/gpu-cards:uncordon-gpu HTTP/1.1\r\nHost: a\r\n\r\n")
        assert raw.read_response().status == 200
    assert passed()["NodeNames"] == ["gpu-cards"]
    problem(daemon.admin.post(API + "/nodes/nothing:cordon-gpu"), 404, "NotFound")
    problem(daemon.admin.get(API + "/nodes/gpu-cards:cordon-gpu"), 405)


def test_pages_of_another_origin_may_not_write(daemon):
    path = API + "/nodes/gpu-cards:cordon-gpu"
    foreign = daemon.admin.request("POST", path, b"", {"Origin": "http://evil.example"})
    problem(foreign, 403, "Forbidden")
    problem(daemon.admin.request("POST", path, b"", {"Origin": "null"}), 403)
    own = daemon.admin.request("POST", API + "/nodes/gpu-cards:uncordon-gpu", b"",
                               {"Origin": daemon.admin.url})
    assert own.status == 200
    assert daemon.admin.get(API + "/nodes", Origin="http://evil.example").status == 200


def test_allocations(make_daemon):
    daemon = make_daemon()
    pods = [shapes.pod("a", {"nvidia.com/gpu": 2}), shapes.pod("b", {"nvidia.com/mig-1g.10gb": 1}, ns="nlp")]
    for pod, node in zip(pods, ("gpu-cards", "gpu-mixed")):
        daemon.admin.post(API + "/emulate/pods", pod)
        answer = daemon.extender.post("/scheduler/v1/bind", shapes.binding(pod, node))
        assert answer.json() == {"Error": ""}
    found = items(daemon, "/allocations")
    assert len(found) == 2
    record = next(a for a in found if a["name"] == "a")
    assert record["tenant"] == "vision" and record["trustDomain"] == "research"
    assert record["node"] == "gpu-cards" and record["resources"] == {"nvidia.com/gpu": 2}
    assert record["state"] == "bound" and record["quotaClass"] == "guaranteed"
    assert record["isolation"] and record["seq"] > 0 and record["since"] and record["charge"]
    assert daemon.admin.get(f"{API}/allocations/{record['uid']}").json() == record
    for query, names in (("tenant=vision", ["a"]), ("namespace=nlp", ["b"]), ("node=gpu-mixed", ["b"]),
                         ("state=bound", ["a", "b"]), ("state=foreign", []), ("tenant=nobody", []),
                         ("tenant=nlp&node=gpu-cards", [])):
        assert sorted(a["name"] for a in items(daemon, "/allocations?" + query)) == names
    problem(daemon.admin.get(API + "/allocations?state=running"), 400, "BadRequest")
    used = daemon.admin.get(API + "/tenants/vision/quota").json()["status"]["gpuEquivalents"]["used"]
    assert used == "2"
