import pathlib
import sys

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lib"))

import harness
import live
import pki
import shapes
from fakeapi import FakeApi


def pytest_configure(config):
    if not harness.PROGRAM.exists():
        pytest.exit(f"{harness.PROGRAM} isn't built; SHIKIRI_BUILD names another build", 2)


@pytest.fixture(scope="module")
def daemon(tmp_path_factory):
    """One for the whole file: for tests that change nothing."""
    one = harness.Daemon(tmp_path_factory.mktemp("daemon"), shapes.CLUSTER, shapes.DOCUMENTS).start()
    yield one
    one.stop()


@pytest.fixture
def make_daemon(tmp_path):
    """Daemons for one test, each with what it needs."""
    made = []

    def make(snapshot=None, documents=shapes.DOCUMENTS, policy=None, args=(), context=None):
        directory = tmp_path / f"daemon-{len(made)}"
        directory.mkdir()
        one = harness.Daemon(directory, shapes.CLUSTER if snapshot is None else snapshot, documents,
                             policy, args, context)
        made.append(one)
        return one.start()

    yield make
    for one in made:
        one.stop()


@pytest.fixture(scope="session")
def authority(tmp_path_factory):
    """For tests that leave it as it is."""
    return pki.Authority(tmp_path_factory.mktemp("pki") / "ours")


@pytest.fixture(scope="session")
def stranger(tmp_path_factory):
    """Another CA, with a client of the very name that ours would let in."""
    return pki.Authority(tmp_path_factory.mktemp("pki") / "theirs")


@pytest.fixture(params=["extender", "admin"])
def listener(request, daemon):
    return getattr(daemon, request.param)


@pytest.fixture
def world(tmp_path):
    """An API server with a cluster, for daemons that serve it live."""
    with FakeApi() as api:
        one = live.World(tmp_path, api)
        yield one
        one.close()
