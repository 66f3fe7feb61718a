"""deploy/manifests: rights that are named here and no others, pods that a restricted namespace takes,
and configuration that our own programs read and print."""
import re

import pytest
import yaml

import harness
import stub_daemon
from test_cli import SNAPSHOT, ctl

MANIFESTS = harness.ROOT / "deploy" / "manifests"
ADVISE = MANIFESTS / "advise"
RIGHTS = harness.ROOT / "docs" / "operations" / "rights.md"


def objects(folder):
    found = []
    for path in sorted(folder.glob("*.yaml")):
        found += [item for item in yaml.safe_load_all(path.read_text()) if item]
    return found


def one(folder, kind, name):
    (found,) = [o for o in objects(folder) if o["kind"] == kind and o["metadata"]["name"] == name]
    return found


def grants(role):
    """(group, resource, name or None, verb) of every right."""
    return {(group, resource, name, verb)
            for rule in role["rules"] for group in rule["apiGroups"]
            for resource in rule["resources"] for name in rule.get("resourceNames", [None])
            for verb in rule["verbs"]}


def rights(group, resources, verbs, name=None):
    return {(group, resource, name, verb) for resource in resources for verb in verbs}


LOOKING = (rights("", ["nodes", "pods", "namespaces"], ["get", "list", "watch"])
           | rights("scheduling.k8s.io", ["priorityclasses"], ["get", "list", "watch"]))
BINDING = (rights("", ["pods/binding"], ["create"]) | rights("", ["pods/status"], ["patch"])
           | rights("events.k8s.io", ["events"], ["create", "patch"]))
LEASE = (rights("coordination.k8s.io", ["leases"], ["create"])
         | rights("coordination.k8s.io", ["leases"], ["get", "update"], "shikiri-scheduler"))


# --- rights --------------------------------------------------------------------------------------


def test_the_daemon_may_do_this_and_nothing_else():
    assert grants(one(MANIFESTS, "ClusterRole", "shikirid")) == LOOKING | BINDING


def test_an_adviser_may_only_look():
    assert grants(one(ADVISE, "ClusterRole", "shikirid")) == LOOKING


def test_the_scheduler_has_one_lease_of_its_own():
    assert grants(one(MANIFESTS, "Role", "shikiri-scheduler")) == LEASE


def test_no_other_role_and_no_other_binding():
    def bound(folder):
        return {(o["kind"], o["metadata"].get("namespace"), o["roleRef"]["kind"], o["roleRef"]["name"],
                 *[(s["kind"], s["namespace"], s["name"]) for s in o["subjects"]])
                for o in objects(folder) if o["kind"] in ("ClusterRoleBinding", "RoleBinding")}

    daemon = ("ServiceAccount", "shikiri-system", "shikirid")
    scheduler = ("ServiceAccount", "shikiri-system", "shikiri-scheduler")
    mine = {("ClusterRoleBinding", None, "ClusterRole", "shikirid", daemon)}
    assert bound(ADVISE) == mine
    assert bound(MANIFESTS) == mine | {
        ("ClusterRoleBinding", None, "ClusterRole", "system:kube-scheduler", scheduler),
        ("ClusterRoleBinding", None, "ClusterRole", "system:volume-scheduler", scheduler),
        ("RoleBinding", "kube-system", "Role", "extension-apiserver-authentication-reader", scheduler),
        ("RoleBinding", "shikiri-system", "Role", "shikiri-scheduler", scheduler)}
    assert [o["kind"] for o in objects(MANIFESTS) + objects(ADVISE)].count("ClusterRole") == 2
    assert [o["kind"] for o in objects(MANIFESTS) + objects(ADVISE)].count("Role") == 1


def test_every_right_is_explained():
    """A row of the page for each resource, with exactly the verbs that are granted."""
    told = set()
    for row in re.findall(r"^\| `(\S*)` \| `(\S+)` \| (.+?) \| .+ \|$", RIGHTS.read_text(), re.M):
        group, resource, verbs = row
        told |= {("" if group == "core" else group, resource, verb) for verb in re.findall(r"`(\w+)`", verbs)}
    granted = {(g, r, v) for g, r, _, v in LOOKING | BINDING | LEASE}
    assert told == granted


# --- what is applied -----------------------------------------------------------------------------


def test_one_apply_creates_the_namespace_first():
    everything = objects(MANIFESTS)
    assert everything[0]["kind"] == "Namespace"
    names = [(o["kind"], o["metadata"].get("namespace"), o["metadata"]["name"]) for o in everything]
    assert len(set(names)) == len(names)
    cluster_wide = ("Namespace", "ClusterRole", "ClusterRoleBinding")
    for kind, namespace, name in names:
        if kind in cluster_wide:
            assert namespace is None
        else:
            assert namespace in ("shikiri-system", "kube-system"), name


def test_advice_replaces_objects_and_adds_none():
    def names(folder):
        return {(o["kind"], o["metadata"].get("namespace"), o["metadata"]["name"])
                for o in objects(folder)}

    assert names(ADVISE) < names(MANIFESTS)


def test_what_pods_refer_to_is_there():
    everything = {(o["kind"], o["metadata"]["name"]) for o in objects(MANIFESTS)}
    secrets = set()
    for deployment in deployments():
        spec = deployment["spec"]["template"]["spec"]
        assert ("ServiceAccount", spec["serviceAccountName"]) in everything
        mounted = {m["name"] for c in spec["containers"] for m in c["volumeMounts"]}
        assert mounted == {volume["name"] for volume in spec["volumes"]}
        for volume in spec["volumes"]:
            if "configMap" in volume:
                assert ("ConfigMap", volume["configMap"]["name"]) in everything
            elif "secret" in volume:
                secrets.add(volume["secret"]["secretName"])
            else:
                claim = volume["persistentVolumeClaim"]["claimName"]
                assert ("PersistentVolumeClaim", claim) in everything
    # Keys are made by whoever installs; none is shipped.
    assert secrets == {"shikiri-serving", "shikiri-client"}
    assert not [kind for kind, _ in everything if kind == "Secret"]


# --- pods ----------------------------------------------------------------------------------------


def deployments():
    return [o for o in objects(MANIFESTS) if o["kind"] == "Deployment"]


def test_there_are_two_deployments():
    assert [d["metadata"]["name"] for d in deployments()] == ["shikirid", "shikiri-scheduler"]


@pytest.mark.parametrize("deployment", deployments(), ids=lambda d: d["metadata"]["name"])
def test_pods_keep_to_the_restricted_standard(deployment):
    spec = deployment["spec"]["template"]["spec"]
    assert spec["securityContext"]["runAsNonRoot"] is True
    assert spec["securityContext"]["seccompProfile"] == {"type": "RuntimeDefault"}
    assert not {"hostNetwork", "hostPID", "hostIPC"} & set(spec)
    for container in spec["containers"]:
        assert container["securityContext"] == {
            "allowPrivilegeEscalation": False, "readOnlyRootFilesystem": True,
            "capabilities": {"drop": ["ALL"]}}
        assert all(port["containerPort"] >= 1024 for port in container["ports"])
    labels = one(MANIFESTS, "Namespace", "shikiri-system")["metadata"]["labels"]
    assert labels["pod-security.kubernetes.io/enforce"] == "restricted"


@pytest.mark.parametrize("deployment", deployments(), ids=lambda d: d["metadata"]["name"])
def test_pods_do_not_wait_for_themselves(deployment):
    spec = deployment["spec"]["template"]["spec"]
    assert spec["schedulerName"] == "default-scheduler"
    assert spec["priorityClassName"] == "system-cluster-critical"
    assert "nvidia.com" not in str([c["resources"] for c in spec["containers"]])
    quota = one(MANIFESTS, "ResourceQuota", "critical-pods")["spec"]
    assert quota["scopeSelector"]["matchExpressions"][0]["values"] == [spec["priorityClassName"]]
    labels = deployment["spec"]["template"]["metadata"]["labels"]
    assert deployment["spec"]["selector"]["matchLabels"].items() <= labels.items()


def test_the_ledger_has_one_writer():
    spec = one(MANIFESTS, "Deployment", "shikirid")["spec"]
    assert spec["replicas"] == 1 and spec["strategy"] == {"type": "Recreate"}
    assert one(MANIFESTS, "PersistentVolumeClaim", "shikiri-ledger")["spec"]["accessModes"] == [
        "ReadWriteOnce"]


def test_the_service_leads_to_the_daemon_even_when_it_is_not_ready():
    spec = one(MANIFESTS, "Service", "shikiri")["spec"]
    pod = one(MANIFESTS, "Deployment", "shikirid")["spec"]["template"]
    (container,) = pod["spec"]["containers"]
    assert spec["selector"].items() <= pod["metadata"]["labels"].items()
    assert spec["publishNotReadyAddresses"] is True
    assert [p["targetPort"] for p in spec["ports"]] == [p["name"] for p in container["ports"]]


@pytest.fixture
def stub():
    one_ = stub_daemon.StubDaemon()
    yield one_
    one_.close()


PROBES = ("startupProbe", "livenessProbe", "readinessProbe")


@pytest.mark.parametrize("probe", PROBES)
def test_probes_are_commands_that_work(stub, probe):
    (container,) = one(MANIFESTS, "Deployment", "shikirid")["spec"]["template"]["spec"]["containers"]
    program, *args = container[probe]["exec"]["command"]
    assert program == "shikirictl"
    assert ctl(*args, server=stub.url).status == 0
    stub.facts.ready = (503, "[-]cluster failed: not seen yet\n")
    unready = ctl(*args, server=stub.url)
    assert unready.status == (1 if probe == "readinessProbe" else 0)
    stub.facts.status = {"/livez": 500, "/readyz": 500}
    assert ctl(*args, server=stub.url).status == 1


def test_probes_have_time_to_fail_by_themselves():
    (container,) = one(MANIFESTS, "Deployment", "shikirid")["spec"]["template"]["spec"]["containers"]
    for probe in PROBES:
        *_, flag, value = container[probe]["exec"]["command"]
        assert flag == "--timeout" and int(value.rstrip("s")) < container[probe]["timeoutSeconds"]


# --- configuration -------------------------------------------------------------------------------


def data(folder, name):
    return one(folder, "ConfigMap", name)["data"]


def test_the_scheduler_gets_what_we_print():
    assert data(MANIFESTS, "shikiri-scheduler") == {"config.yaml": ctl("scheduler-config").out}


def test_the_scheduler_finds_what_its_configuration_names():
    text = ctl("scheduler-config", "-o", "json").json()
    (extender,) = text["extenders"]
    service = one(MANIFESTS, "Service", "shikiri")
    host = f"{service['metadata']['name']}.{service['metadata']['namespace']}.svc"
    assert extender["urlPrefix"] == f"https://{host}:{service['spec']['ports'][0]['port']}/scheduler/v1"
    (container,) = one(MANIFESTS, "Deployment",
                       "shikiri-scheduler")["spec"]["template"]["spec"]["containers"]
    mounts = {m["mountPath"] for m in container["volumeMounts"]}
    files = [*extender["tlsConfig"].values(), container["command"][1].split("=")[1]]
    assert {path.rsplit("/", 1)[0] for path in files} == mounts


@pytest.mark.parametrize("folder", [MANIFESTS, ADVISE], ids=["enforce", "advise"])
def test_policy_and_tenants_are_sound(folder, tmp_path):
    files = data(folder, "shikirid")
    assert files["policy.yaml"] == (harness.ROOT / "policies" / "default.yaml").read_text()
    (tmp_path / "tenants.yaml").write_text(files["tenants.yaml"])
    status, out, _ = harness.run("--check", "--snapshot", SNAPSHOT, "--ledger", ":memory:",
                                 "--apply", tmp_path / "tenants.yaml")
    assert (status, out) == (0, "")


def test_advice_differs_in_its_configuration_only():
    enforcing, advising = data(MANIFESTS, "shikirid"), data(ADVISE, "shikirid")
    assert enforcing.pop("config.yaml") != advising.pop("config.yaml")
    assert enforcing == advising


KUBECONFIG = """
apiVersion: v1
kind: Config
current-context: here
clusters: [{name: here, cluster: {server: "https://127.0.0.1:1"}}]
contexts: [{name: here, context: {cluster: here, user: me}}]
users: [{name: me, user: {token: secret}}]
"""


@pytest.fixture(scope="module")
def certificates(tmp_path_factory):
    """As the page says how to make them; what is printed, and where they are."""
    folder = tmp_path_factory.mktemp("certs")
    made = ctl("certs", "--dir", folder, "--host", "shikiri.shikiri-system.svc")
    assert made.status == 0, made
    return made.out, folder


def localized(text, files, certs):
    """The configuration with every path in files or certs, and an API server of nobody's."""
    for path, folder in (("/etc/shikiri/config", files), ("/var/lib/shikiri", files),
                         ("/etc/shikiri/tls", certs)):
        text = text.replace(path, str(folder))
    (files / "kubeconfig").write_text(KUBECONFIG)
    return text + f"kubeconfig: {files}/kubeconfig\n"


@pytest.mark.parametrize("folder", [MANIFESTS, ADVISE], ids=["enforce", "advise"])
def test_the_daemon_takes_its_configuration(folder, certificates, tmp_path):
    _, certs = certificates
    files = data(folder, "shikirid")
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    (tmp_path / "config.yaml").write_text(localized(files["config.yaml"], tmp_path, certs))
    status, out, err = harness.run("--check", "--config", tmp_path / "config.yaml")
    assert (status, out) == (0, ""), err


def test_only_the_schedulers_certificate_is_let_in(certificates):
    printed, _ = certificates
    settings = yaml.safe_load(data(MANIFESTS, "shikirid")["config.yaml"])
    assert settings["mode"] == "enforce" and settings["clientCa"]
    (name,) = settings["clientName"]
    assert f"--client-name '{name}'" in printed


@pytest.mark.parametrize("folder,listeners", [(MANIFESTS, ("adminListen",)),
                                              (ADVISE, ("adminListen", "listen"))],
                         ids=["enforce", "advise"])
def test_what_has_no_certificate_stays_on_loopback(folder, listeners):
    settings = yaml.safe_load(data(folder, "shikirid")["config.yaml"])
    assert all(settings[key].startswith("127.0.0.1:") for key in listeners)
    assert settings["auth"] == ["none"]


def test_an_adviser_advises():
    settings = yaml.safe_load(data(ADVISE, "shikirid")["config.yaml"])
    assert settings["mode"] == "advise" and "tlsCert" not in settings


def test_mounts_of_the_daemon_are_the_folders_it_reads():
    spec = one(MANIFESTS, "Deployment", "shikirid")["spec"]["template"]["spec"]
    (container,) = spec["containers"]
    settings = yaml.safe_load(data(MANIFESTS, "shikirid")["config.yaml"])
    files = [settings[key] for key in ("tlsCert", "tlsKey", "clientCa", "ledger", "policy")]
    files += settings["apply"] + [container["command"][-1]]
    assert {path.rsplit("/", 1)[0] for path in files} == {
        mount["mountPath"] for mount in container["volumeMounts"]}
