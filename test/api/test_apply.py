"""Documents: apply, export, validation of a policy."""
import json

import pytest

import shapes
from harness import API, problem

NEW = """\
apiVersion: shikiri.dev/v1
kind: Tenant
metadata: {name: robotics}
spec:
  namespaces: [robots]
  quota:
    gpuEquivalents: {ceiling: "4"}
"""


def apply(daemon, body, query="", content_type="application/yaml"):
    return daemon.admin.post(f"{API}/apply{query}", body, content_type)


def operations(response):
    assert response.status == 200, response
    return {(c["kind"], c["name"]): c["operation"] for c in response.json()["changes"]}


def tenants(daemon):
    return [t["metadata"]["name"] for t in daemon.admin.get(API + "/tenants").json()["items"]]


def test_apply(make_daemon):
    daemon = make_daemon()
    response = apply(daemon, NEW)
    assert operations(response) == {("Tenant", "robotics"): "created"}
    assert response.json()["dryRun"] is False
    assert response.header("Dry-Run") is None
    assert tenants(daemon) == ["nlp", "robotics", "vision"]
    assert operations(apply(daemon, NEW)) == {("Tenant", "robotics"): "unchanged"}
    before = daemon.admin.get(API + "/tenants/robotics").header("ETag")
    assert operations(apply(daemon, NEW.replace('"4"', '"5"'))) == {("Tenant", "robotics"): "updated"}
    assert daemon.admin.get(API + "/tenants/robotics").header("ETag") != before


@pytest.mark.parametrize("content_type", ["application/yaml", "text/yaml", "application/x-yaml",
                                          "application/yaml; charset=utf-8", "Application/YAML"])
def test_yaml_by_its_names(daemon, content_type):
    assert apply(daemon, NEW, "?dryRun=All", content_type).status == 200


@pytest.mark.parametrize("content_type", ["application/json", "application/json; charset=utf-8"])
def test_json(daemon, content_type):
    body = json.dumps(shapes.tenant("robotics", ["robots"]))
    assert apply(daemon, body, "?dryRun=All", content_type).status == 200


@pytest.mark.parametrize("content_type", ["text/plain", "application/x-www-form-urlencoded",
                                          "multipart/form-data", "application/jsonp", "yaml"])
def test_other_types(daemon, content_type):
    problem(apply(daemon, NEW, "", content_type), 415, "UnsupportedMediaType")


def test_dry_run_changes_nothing(daemon):
    response = apply(daemon, NEW, "?dryRun=All")
    assert operations(response) == {("Tenant", "robotics"): "created"}
    assert response.json()["dryRun"] is True
    assert response.header("Dry-Run") == "All"
    assert "robotics" not in tenants(daemon)


@pytest.mark.parametrize("query", ["?dryRun=true", "?dryRun=", "?dryRun=all", "?prune=1", "?prune=",
                                   "?dryrun=All"])
def test_bad_parameters(daemon, query):
    assert apply(daemon, NEW, query).status == 400
    assert "robotics" not in tenants(daemon)


def test_prune(make_daemon):
    daemon = make_daemon()
    changes = operations(apply(daemon, NEW, "?prune=true"))
    assert changes[("Tenant", "robotics")] == "created"
    assert changes[("Tenant", "vision")] == changes[("Tenant", "nlp")] == "deleted"
    assert changes[("TrustDomain", "research")] == "deleted"
    assert tenants(daemon) == ["robotics"]


@pytest.mark.parametrize("body", ["", " \n", "# nothing\n", "---\n---\n"])
def test_nothing_to_apply(daemon, body):
    """With prune it would delete everything."""
    problem(apply(daemon, body, "?prune=true"), 400, "UnreadableBody")
    assert tenants(daemon) == ["nlp", "vision"]


def test_prune_keeps_who_is_at_work(make_daemon):
    daemon = make_daemon()
    pod = shapes.pod("a", {"nvidia.com/gpu": 1})
    daemon.admin.post(API + "/emulate/pods", pod)
    assert daemon.extender.post("/scheduler/v1/bind", shapes.binding(pod, "gpu-cards")).json() == {"Error": ""}
    problem(apply(daemon, NEW, "?prune=true"), 409, "Conflict")
    assert tenants(daemon) == ["nlp", "vision"], "all or nothing"


def test_all_or_nothing(daemon):
    bad = NEW + "---\n" + NEW.replace("robotics", "other").replace('ceiling: "4"', "ceiling: much")
    response = apply(daemon, bad)
    body = problem(response, 422, "InvalidDocument")
    assert "ceiling" in body["errors"][0]["pointer"] and body["errors"][0]["detail"]
    assert "robotics" not in tenants(daemon)


@pytest.mark.parametrize("body", ["{", "- : :", "a: &x 1\nb: *x\n", "\t- a", '{"kind": "Tenant"',
                                  "kind: Tenant\nkind: Tenant\n"])
def test_unreadable(daemon, body):
    assert problem(apply(daemon, body), apply(daemon, body).status)["status"] in (400, 422)


@pytest.mark.parametrize("old, new", [
    ("kind: Tenant", "kind: Tenants"), ("shikiri.dev/v1", "shikiri.dev/v2"),
    ("namespaces:", "nameSpaces:"), ("robotics", "Robo_tics"), ("gpuEquivalents", "gpuEquivalent"),
    ('"4"', '"-4"'), ('"4"', '"1e3"'), ('"4"', "1.5e-9"), ("[robots]", "robots"),
])
def test_invalid(daemon, old, new):
    body = NEW.replace(old, new)
    assert body != NEW
    answer = problem(apply(daemon, body), 422, "InvalidDocument")
    assert answer["errors"][0]["pointer"]


def test_a_namespace_has_one_tenant(daemon):
    response = apply(daemon, NEW.replace("robots", "nlp"))
    assert response.status in (409, 422)
    assert "nlp" in problem(response, response.status)["detail"]


def test_warnings(daemon):
    body = NEW.replace("namespaces:", "trustDomain: undocumented\n  namespaces:")
    warnings = apply(daemon, body, "?dryRun=All").json()["warnings"]
    assert any("undocumented" in text for text in warnings)


def test_export_is_what_was_applied(make_daemon):
    daemon = make_daemon()
    exported = daemon.admin.get(API + "/export")
    assert exported.header("Content-Type") == "application/json"
    body = exported.json()
    assert (body["apiVersion"], body["kind"]) == ("v1", "List")
    assert sorted((d["kind"], d["metadata"]["name"]) for d in body["items"]) == [
        ("Tenant", "nlp"), ("Tenant", "vision"), ("TrustDomain", "research")]
    assert set(operations(apply(daemon, exported.body, "", "application/json")).values()) == {"unchanged"}


def test_export_as_yaml(make_daemon):
    daemon = make_daemon()
    exported = daemon.admin.get(API + "/export", Accept="application/yaml")
    assert exported.header("Content-Type") == "application/yaml"
    assert "kind: TrustDomain" in exported.text
    assert set(operations(apply(daemon, exported.body)).values()) == {"unchanged"}


POLICY = """\
apiVersion: shikiri.dev/v1
kind: Policy
metadata: {name: mine}
spec:
  isolation: {acrossDomains: card}
"""


def test_policy_validate(daemon):
    before = daemon.admin.get(API + "/policy").json()
    response = daemon.admin.post(API + "/policy:validate", POLICY, "application/yaml")
    assert response.status == 200
    body = response.json()
    assert body["valid"] is True and body["name"] == "mine" and body["hash"].startswith("sha256:")
    assert daemon.admin.get(API + "/policy").json() == before
    own = daemon.admin.post(API + "/policy:validate", json.dumps(before))
    assert own.status == 200
    bad = daemon.admin.post(API + "/policy:validate", POLICY.replace("card", "wall"), "application/yaml")
    assert "/spec/isolation/acrossDomains" in problem(bad, 422)["errors"][0]["pointer"]
    problem(daemon.admin.post(API + "/policy:validate", "{", "application/json"), 400)


def test_policy_in_force(make_daemon):
    daemon = make_daemon(policy=POLICY)
    policy = daemon.admin.get(API + "/policy").json()
    assert policy["metadata"]["name"] == "mine"
    assert policy["spec"]["isolation"]["acrossDomains"] == "card"
