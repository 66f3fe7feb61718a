"""What holds for HTTP holds over TLS: framing, limits, deadlines, keep-alive, draining.

The tests are those of plain HTTP; only the daemon that they get is another."""
import pytest

import harness
import shapes
# Collected here once more, with the fixtures below.
from test_http_connections import *  # noqa: F401,F403
from test_http_framing import *  # noqa: F401,F403
from test_http_limits import *  # noqa: F401,F403
from test_http_shutdown import *  # noqa: F401,F403


@pytest.fixture(scope="module")
def daemon(tmp_path_factory, authority):
    one = harness.Daemon(tmp_path_factory.mktemp("daemon"), shapes.CLUSTER, shapes.DOCUMENTS,
                         args=authority.flags(), context=authority.context()).start()
    assert one.extender.url.startswith("https://") and one.admin.url.startswith("https://")
    yield one
    one.stop()


@pytest.fixture
def make_daemon(make_daemon, authority):
    def make(args=(), **others):
        return make_daemon(args=[*args, *authority.flags()], context=authority.context(), **others)

    return make
