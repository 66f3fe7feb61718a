"""Answers that never came: nothing is believed before the API server says so."""
import pytest

from live import GPU, QUICK, background, eventually

UNSURE = ("ApiUncertain", "")  # "" when the API server's word came within the bind's time


def retried(daemon, world, pod):
    """The scheduler comes again, as it does after an error."""
    eventually(lambda: any(daemon.bind(pod, node) == "" for node in daemon.passes(pod)[:1]),
               "a later cycle binds it")
    daemon.assert_settled()


@pytest.mark.parametrize("code", [500, 503, 504])
def test_an_error_of_the_server_is_no_answer(world, code):
    daemon = world.start(policy=QUICK)
    pod = world.aside("p")
    world.api.faults.arm("status", path="/binding$", code=code)
    daemon.bind(pod, "cards-a")
    retried(daemon, world, pod)


def test_a_lost_reply_after_the_commit(world):
    daemon = world.start(policy=QUICK)
    pod = world.aside("p")
    world.api.faults.arm("lost_after", path="/binding$")
    assert daemon.bind(pod, "cards-a") in UNSURE
    daemon.wait_state(pod, "bound")
    assert daemon.bind(pod, "cards-a") == "" and daemon.bind(pod, "cards-b") == "AlreadyBound"
    assert [r for r in world.api.journal.binds() if r.committed] == world.api.journal.binds()[:1]
    daemon.assert_settled()


def test_a_lost_reply_that_only_a_get_can_tell_of(world):
    daemon = world.start(policy=QUICK)
    pod = world.aside("p")
    world.seen(daemon)
    world.deaf()
    world.api.faults.arm("lost_after", path="/binding$")
    daemon.bind(pod, "cards-a")
    daemon.wait_state(pod, "bound")
    assert world.node_of(pod) == "cards-a"


def test_a_lost_request_is_voided_by_a_write_of_ours(world):
    daemon = world.start(policy=QUICK)
    pod = world.aside("p")
    world.api.faults.arm("lost_before", path="/binding$", times=None)
    assert daemon.bind(pod, "cards-a") != ""
    assert daemon.state(pod) in ("unknown", "reserved", "")
    daemon.wait_state(pod, "")
    touched, = world.nudges(pod)[:1]
    assert touched.outcome == 200 and world.condition(pod)
    world.api.faults.clear()
    retried(daemon, world, pod)


def test_a_row_that_is_unknown_keeps_its_place(world):
    daemon = world.start(policy=QUICK)
    pod, other = world.aside("p", {GPU: 8}), world.pod("other", {GPU: 8})
    world.seen(daemon)
    unreachable = world.api.faults.arm("lost_before", path="/pods/p(/|$)", times=None)
    assert daemon.bind(pod, "cards-a") == "ApiUncertain"
    assert daemon.state(pod) == "unknown" and daemon.used() == "8"
    assert daemon.bind(other, "cards-a") == "CardsBusy"
    assert daemon.bind(pod, "cards-b") == "BindInProgress"
    assert daemon.verdicts(pod)["cards-b"] == "Held"
    world.api.faults.clear(unreachable)
    retried(daemon, world, pod)


def test_no_timer_frees_a_row(world):
    """Twice the bind's time passes, and the server can't be asked: the row stays."""
    daemon = world.start(policy=QUICK)
    pod, other = world.aside("p"), world.pod("other")
    world.seen(daemon)
    attempts = world.api.faults.arm("lost_before", path="/pods/p(/|$)", times=None)
    assert daemon.bind(pod, "cards-a") == "ApiUncertain"
    eventually(lambda: attempts.hits >= 3, "it was asked again and again")
    assert daemon.state(pod) == "unknown"
    assert daemon.bind(other, "cards-b") == ""
    world.api.faults.clear()
    daemon.wait_state(pod, "")


def test_a_late_post_fails(world):
    """It is under way when its row is voided; the version that moved refuses it."""
    daemon = world.start(policy=QUICK)
    pod = world.aside("p", {GPU: 8})
    late = world.api.faults.arm("hold_before", path="/pods/p/binding$", times=None)
    assert daemon.bind(pod, "cards-a") == "ApiUncertain"
    daemon.wait_state(pod, "")
    other = world.pod("other", {GPU: 8})
    assert daemon.bind(other, "cards-a") == ""
    posts = world.api.journal.all("POST", "/pods/p/binding")
    world.api.faults.clear(late)
    world.api.wait_for(lambda: all(post.outcome is not None for post in posts), "the late POSTs are over")
    assert not any(post.committed for post in posts) and world.node_of(pod) == ""
    retried(daemon, world, pod)
    assert world.node_of(pod) != "cards-a"


def test_a_late_post_that_lands_first(world):
    """Committed before our write: the reply to that shows it assigned, and the row is bound."""
    daemon = world.start(policy=QUICK)
    pod = world.aside("p")
    world.seen(daemon)
    world.deaf()
    late = world.api.faults.arm("hold_after", path="/binding$")
    daemon.bind(pod, "cards-a")
    daemon.wait_state(pod, "bound")
    late.release()
    assert world.node_of(pod) == "cards-a" and len(world.api.journal.binds()) == 1


def test_another_post_while_the_first_is_late(world):
    """The scheduler asks again for the same node: the pod is bound once, by whichever comes first."""
    daemon = world.start(policy=QUICK)
    pod = world.aside("p")
    late = world.api.faults.arm("hold_before", path="/binding$")
    assert daemon.bind(pod, "cards-a") in UNSURE
    eventually(lambda: daemon.bind(pod, "cards-a") == "", "the second comes through")
    late.release()
    daemon.assert_settled()
    assert len([r for r in world.api.journal.binds() if r.committed]) == 1


@pytest.mark.parametrize("verb,path", [("GET", "/pods/p$"), ("PATCH", "/pods/p/status$")])
@pytest.mark.parametrize("fault", [{"kind": "status", "code": 500}, {"kind": "lost_after"},
                                   {"kind": "status", "code": 429, "retry_after": 1}],
                         ids=["500", "lost", "429"])
def test_resolving_meets_faults_itself(world, verb, path, fault):
    daemon = world.start(policy=QUICK)
    pod = world.aside("p")
    world.api.faults.arm("lost_before", path="/binding$")
    what = dict(fault)
    world.api.faults.arm(what.pop("kind"), method=verb, path=path, times=2, **what)
    daemon.bind(pod, "cards-a")
    retried(daemon, world, pod)


@pytest.mark.parametrize("gone", ["deleted", "remade", "taken"])
def test_what_became_of_the_pod_meanwhile(world, gone):
    daemon = world.start(policy=QUICK)
    pod = world.aside("p")
    world.seen(daemon)
    unreachable = world.api.faults.arm("lost_before", path="/pods/p(/|$)", times=None)
    assert daemon.bind(pod, "cards-a") == "ApiUncertain"
    if gone == "taken":
        world.assign(pod, "cards-c")
    else:
        world.api.delete_pod("p", "vision-train")
    if gone == "remade":
        world.aside("p")
    world.api.faults.clear(unreachable)
    daemon.wait_state(pod, "foreign" if gone == "taken" else "")
    daemon.assert_settled()


def test_ledger_before_the_post(world):
    """Whatever the API server has been asked is in the books already."""
    daemon = world.start(policy=None)
    pod = world.aside("p")
    held = world.api.faults.arm("hold_before", path="/binding$")
    with background(daemon.bind, pod, "cards-a") as answer:
        assert held.reached.wait(20)
        record = daemon.allocation(pod)
        sent = world.api.journal.binds()[0].value["metadata"]["annotations"]["shikiri.dev/allocation"]
        assert record["state"] == "reserved" and f".{record['seq']};cards-a;" in sent
        held.release()
    assert answer == [""]
