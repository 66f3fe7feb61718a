"""Certificates for tests: made by `shikirictl certs`; what it doesn't make, by openssl."""
import pathlib
import shutil
import ssl
import subprocess

import harness

PROGRAM = harness.BUILD / "cmd" / "shikirictl" / "shikirictl"


def certs(directory, *args, host="127.0.0.1"):
    """shikirictl certs: status, stdout, stderr."""
    done = subprocess.run([str(PROGRAM), "certs", "--dir", str(directory), "--host", host, *args],
                          capture_output=True, text=True, timeout=30, stdin=subprocess.DEVNULL)
    assert not harness.SANITIZER.search(done.stderr), done.stderr
    return done.returncode, done.stdout, done.stderr


def openssl(*args):
    if not shutil.which("openssl"):
        raise RuntimeError("openssl is missing; the package ca-certificates brings it")
    subprocess.run(["openssl", *args], check=True, capture_output=True, timeout=30)


NEW_KEY = ("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes")


class Authority:
    """A directory with a CA and the pairs that it signed."""

    def __init__(self, directory, *args):
        self.directory = pathlib.Path(directory)
        status, _, errors = certs(directory, *args)
        assert status == 0, errors

    def path(self, name):
        return str(self.directory / name)

    def renew(self, *args):
        status, _, errors = certs(self.directory, "--renew", *args)
        assert status == 0, errors

    def sign(self, name, subject="/CN=system:kube-scheduler", extensions="", days=1):
        """One more pair, by openssl: `-days -1` ended yesterday."""
        (self.directory / f"{name}.ext").write_text(extensions)
        openssl("req", *NEW_KEY, "-subj", subject, "-keyout", self.path(f"{name}.key"),
                "-out", self.path(f"{name}.csr"))
        openssl("x509", "-req", "-in", self.path(f"{name}.csr"), "-CA", self.path("ca.crt"),
                "-CAkey", self.path("ca.key"), "-set_serial", "7", "-days", str(days),
                "-extfile", self.path(f"{name}.ext"), "-out", self.path(f"{name}.crt"))

    def sign_by_itself(self, name):
        """A pair that only says it is the scheduler's."""
        openssl("req", "-x509", *NEW_KEY, "-subj", "/CN=system:kube-scheduler", "-days", "1",
                "-keyout", self.path(f"{name}.key"), "-out", self.path(f"{name}.crt"))

    def context(self, client="client", ca=None):
        """For a client that trusts this CA (or that of ca) and shows that pair (or none)."""
        context = ssl.create_default_context(cafile=(ca or self).path("ca.crt"))
        if client:
            context.load_cert_chain(self.path(f"{client}.crt"), self.path(f"{client}.key"))
        return context

    def server_flags(self, prefix="--"):
        return [f"{prefix}tls-cert", self.path("tls.crt"), f"{prefix}tls-key", self.path("tls.key")]

    def flags(self):
        """TLS on both listeners; who calls a verb must be the scheduler."""
        return [*self.server_flags(), "--client-ca", self.path("ca.crt"),
                "--client-name", "system:kube-scheduler", *self.server_flags("--admin-")]
