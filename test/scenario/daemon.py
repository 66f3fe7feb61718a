"""One shikirid of our own: started on a snapshot, asked over HTTP, stopped by its process id."""
import http.client
import json
import os
import re
import selectors
import subprocess
import time
from pathlib import Path

PREFIX = "/apis/shikiri.dev/v1"
START_SECONDS = 30
STOP_SECONDS = 20
READY = re.compile(rb"^ready extender=http://(\S+) admin=http://(\S+)\n$")
REPORTS = re.compile(r"(?:Address|Leak|Thread|Memory|UndefinedBehavior)Sanitizer|runtime error:")


class Failure(Exception):
    """Something that isn't as the scenario says; the text is the diagnosis."""


def program() -> Path:
    top = Path(__file__).resolve().parents[2]
    return top / os.environ.get("SHIKIRI_BUILD", "build") / "cmd/shikirid/shikirid"


def no_twice(pairs: list) -> dict:
    result = dict(pairs)
    if len(result) != len(pairs):
        raise Failure("an answer has a key twice: " + ", ".join(k for k, _ in pairs))
    return result


class Daemon:
    def __init__(self, folder: Path, arguments: list[str]):
        self.errors = folder / "stderr"
        self.command = [str(program()), *arguments, "--ledger", ":memory:", "--listen",
                        "127.0.0.1:0", "--admin-listen", "127.0.0.1:0"]
        with open(self.errors, "wb") as errors:
            self.process = subprocess.Popen(self.command, stdin=subprocess.DEVNULL,
                                            stdout=subprocess.PIPE, stderr=errors)
        self.extender = self.admin = None

    def log(self) -> str:
        return self.errors.read_text(encoding="utf-8", errors="replace")

    def wait_ready(self) -> None:
        line = self.first_line()
        found = READY.match(line)
        if not found:
            raise Failure(f"no ready line, got {line!r}; stderr:\n{self.log()[-2000:]}")
        self.extender, self.admin = (http.client.HTTPConnection(found[i].decode(), timeout=20)
                                     for i in (1, 2))

    def first_line(self) -> bytes:
        line, end = b"", time.monotonic() + START_SECONDS
        with selectors.DefaultSelector() as selector:
            selector.register(self.process.stdout, selectors.EVENT_READ)
            while not line.endswith(b"\n") and time.monotonic() < end:
                if selector.select(timeout=end - time.monotonic()):
                    part = os.read(self.process.stdout.fileno(), 4096)
                    if not part:
                        break
                    line += part
        return line

    def exit_status(self) -> int:
        """For a start that should be refused."""
        try:
            return self.process.wait(START_SECONDS)
        except subprocess.TimeoutExpired:
            raise Failure("the daemon started although it should have refused to") from None

    def stop(self) -> list[str]:
        """What was wrong with the end, if anything."""
        for connection in (self.extender, self.admin):
            if connection:
                connection.close()
        self.process.terminate()
        wrong = []
        try:
            status = self.process.wait(STOP_SECONDS)
            if status:
                wrong.append(f"the daemon exited with {status}; stderr:\n{self.log()[-3000:]}")
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
            wrong.append(f"the daemon did not stop within {STOP_SECONDS} s of SIGTERM")
        self.process.stdout.close()
        if REPORTS.search(self.log()):
            wrong.append("a sanitizer reports:\n" + self.log()[-6000:])
        return wrong

    # --- HTTP ------------------------------------------------------------------------------------

    def exchange(self, connection, method: str, path: str, body=None) -> tuple[int, str]:
        headers = {"Content-Type": "application/json"} if body is not None else {}
        data = None if body is None else json.dumps(body).encode()
        try:
            connection.request(method, path, data, headers)
            answer = connection.getresponse()
            return answer.status, answer.read().decode()
        except (OSError, http.client.HTTPException) as error:
            connection.close()
            raise Failure(f"{method} {path}: {error!r}; stderr:\n{self.log()[-3000:]}") from error

    def verb(self, name: str, body) -> str:
        status, answer = self.exchange(self.extender, "POST", f"/scheduler/v1/{name}", body)
        if status != 200:
            raise Failure(f"{name} answered {status}: {answer[:500]}")
        return answer

    def ask(self, method: str, path: str, body=None, status=(200, 201, 204)):
        got, answer = self.exchange(self.admin, method, PREFIX + path, body)
        if got not in status:
            raise Failure(f"{method} {path} answered {got}, not {status}: {answer[:800]}")
        return read(answer) if answer.strip() else {}


def read(answer: str):
    try:
        return json.loads(answer, object_pairs_hook=no_twice)
    except ValueError as error:
        raise Failure(f"an answer is no JSON ({error}): {answer[:300]}") from None
