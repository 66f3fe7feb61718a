"""shikirictl certs: what it makes, and what it leaves alone."""
import os
import ssl
import stat

import pytest

import pki

NAMES = ["ca.crt", "ca.key", "client.crt", "client.key", "tls.crt", "tls.key"]


def contents(directory):
    return {path.name: path.read_bytes() for path in directory.iterdir()}


def decoded(path):
    """As Python's ssl shows a certificate."""
    return ssl._ssl._test_decode_cert(str(path))


def test_files(tmp_path):
    made = tmp_path / "pki"
    status, out, err = pki.certs(made, "--host", "shikiri.kube-system.svc", "--days", "7")
    assert (status, err) == (0, "")
    assert sorted(os.listdir(made)) == NAMES
    assert stat.S_IMODE(made.stat().st_mode) == 0o700
    for name in NAMES:
        assert stat.S_IMODE((made / name).stat().st_mode) == (0o600 if name.endswith("key") else 0o644)
        assert name.split(".")[0] in out
    for line in (f"--tls-cert '{made}/tls.crt'", "--client-name 'system:kube-scheduler'",
                 f"caFile: '{made}/ca.crt'", f"certFile: '{made}/client.crt'",
                 "urlPrefix: https://127.0.0.1:8443/scheduler/v1"):
        assert line in out


def test_certificates(tmp_path):
    pki.certs(tmp_path, "--host", "a.example", "--host", "fd00::1", "--client-name", "me", "--days", "7")
    server, client, ca = (decoded(tmp_path / f"{name}.crt") for name in ("tls", "client", "ca"))
    assert server["subjectAltName"] == (("IP Address", "127.0.0.1"), ("DNS", "a.example"),
                                        ("IP Address", "FD00:0:0:0:0:0:0:1"))
    assert client["subject"] == ((("commonName", "me"),),)
    assert server["issuer"] == client["issuer"] == ca["subject"] == ca["issuer"]
    assert len({server["serialNumber"], client["serialNumber"], ca["serialNumber"]}) == 3
    for one in (server, client):
        ends = ssl.cert_time_to_seconds(one["notAfter"]) - ssl.cert_time_to_seconds(one["notBefore"])
        assert 7 * 86400 <= ends <= 7 * 86400 + 600


def test_nothing_is_overwritten(tmp_path):
    assert pki.certs(tmp_path)[0] == 0
    before = contents(tmp_path)
    status, out, err = pki.certs(tmp_path)
    assert status == 4 and out == "" and "--renew" in err
    assert contents(tmp_path) == before


def test_renew_keeps_the_authority(tmp_path):
    assert pki.certs(tmp_path)[0] == 0
    before = contents(tmp_path)
    status, out, _ = pki.certs(tmp_path, "--renew")
    after = contents(tmp_path)
    assert status == 0 and f"kept {tmp_path}/ca.crt" in out
    assert sorted(after) == NAMES
    assert {name for name in NAMES if after[name] != before[name]} == set(NAMES[2:])


def test_an_authority_that_is_there_is_used(tmp_path):
    assert pki.certs(tmp_path)[0] == 0
    before = contents(tmp_path)
    for name in NAMES[2:]:
        (tmp_path / name).unlink()
    assert pki.certs(tmp_path)[0] == 0
    assert contents(tmp_path)["ca.crt"] == before["ca.crt"]


@pytest.mark.parametrize("name, status", [("ca.key", 66), ("ca.crt", 66)])
def test_half_an_authority(tmp_path, name, status):
    assert pki.certs(tmp_path)[0] == 0
    (tmp_path / name).unlink()
    before = contents(tmp_path)
    assert pki.certs(tmp_path, "--renew")[0] == status
    assert contents(tmp_path) == before


def test_authority_must_be_one(tmp_path):
    assert pki.certs(tmp_path)[0] == 0
    for cert, key in (("client.crt", "client.key"), ("ca.crt", "client.key")):
        texts = [(tmp_path / name).read_bytes() for name in (cert, key)]
        (tmp_path / "ca.crt").write_bytes(texts[0])
        (tmp_path / "ca.key").write_bytes(texts[1])
        status, out, err = pki.certs(tmp_path, "--renew")
        assert status == 65 and out == "" and "ca.crt" in err


def test_nothing_to_renew(tmp_path):
    assert pki.certs(tmp_path / "new", "--renew")[0] == 66
    assert os.listdir(tmp_path / "new") == []


@pytest.mark.parametrize("args", [
    ["--host", "a b"], ["--host", "*"], ["--host", ""], ["--host", "-a"], ["--host", "x" * 300],
    ["--days", "0"], ["--days", "x"], ["--days", "99999"], ["--days", "1x"],
    ["--client-name", "x" * 65], ["--client-name", "a'b"], ["argument"],
])
def test_usage(tmp_path, args):
    status, out, err = pki.certs(tmp_path / "new", *args)
    assert status == 64 and out == "" and len(err.splitlines()) == 1
    assert not (tmp_path / "new").exists()


def test_directory_of_directories(tmp_path):
    status, _, err = pki.certs(tmp_path / "no" / "such")
    assert status == 1 and "no/such" in err
