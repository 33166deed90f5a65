"""Others who attest checkpoints, over HTTP: a witness (C2SP tlog-witness), and a time-stamping service of openssl's."""

from __future__ import annotations

import base64
import hashlib
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from apps.audit.log.cosignatures import WitnessKey, cosigned_message, text_of
from apps.audit.log.notes import InvalidNoteError, VerifyKey, opened
from apps.audit.log.timestamps import TimestampService
from apps.audit.log.tree import proves_consistency
from apps.audit.log.witnesses import Witness


class LogWitness:
    """Keeps the newest checkpoint of each log, and cosigns what continues it.

    known: origin -> (size, root). asked: (old size, size) of each request that was signed by the log.
    answer: (status, body) in place of what is right. waits: set by the test that lets it answer late.
    """

    def __init__(self, name: str, log_keys: tuple[VerifyKey, ...], *, seed: bytes = b"w" * 32) -> None:
        self._private = Ed25519PrivateKey.from_private_bytes(seed)
        self.key = WitnessKey(name=name, public=self._private.public_key().public_bytes_raw())
        self.log_keys = log_keys
        self.known: dict[str, tuple[int, bytes]] = {}
        self.asked: list[tuple[int, int]] = []
        self.answer: tuple[int, bytes] | None = None
        self.waits: threading.Event | None = None
        self.url = ""

    def witness(self) -> Witness:
        return Witness(url=self.url, key=self.key)

    def judged(self, body: bytes) -> tuple[int, str, bytes]:
        """(status, content type, body), as the protocol says."""
        head, _, note = body.decode().partition("\n\n")
        first, *lines = head.split("\n")
        word, _, digits = first.partition(" ")
        if word != "old" or not digits.isdigit() or str(int(digits)) != digits or len(lines) > 63:
            return 400, "text/plain", b""
        old, origin = int(digits), note.partition("\n")[0]
        if not origin.startswith("glassbox/audit/"):
            return 404, "text/plain", b""
        try:
            told = opened(note, self.log_keys)
        except InvalidNoteError:
            return 403, "text/plain", b""
        self.asked.append((old, told.size))
        if old > told.size:
            return 400, "text/plain", b""
        size, root = self.known.get(told.origin, (0, hashlib.sha256(b"").digest()))
        if old != size:
            return 409, "text/x.tlog.size", f"{size}\n".encode()
        path = [base64.b64decode(line, validate=True) for line in lines]
        if old == told.size and root != told.root:
            return 409, "text/plain", b""
        if not proves_consistency(first=old, second=told.size, first_root=root, second_root=told.root, path=path):
            return 422, "text/plain", b""
        self.known[told.origin] = (told.size, told.root)
        return 200, "text/plain", f"{self.line(note)}\n".encode()

    def line(self, note: str) -> str:
        """The cosignature of a note."""
        seconds = int(time.time())
        signature = self._private.sign(cosigned_message(text_of(note), seconds))
        raw = self.key.mark + seconds.to_bytes(8, "big") + signature
        return f"\N{EM DASH} {self.key.name} {base64.b64encode(raw).decode()}"


class _Quiet(BaseHTTPRequestHandler):
    def body(self) -> bytes:
        return self.rfile.read(int(self.headers["Content-Length"]))

    def reply(self, status: int, kind: str, content: bytes) -> None:
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *_: object) -> None:
        """Not to the terminal."""


@contextmanager
def _served(handler: type[_Quiet]) -> Iterator[str]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()


@contextmanager
def serving(witness: LogWitness) -> Iterator[LogWitness]:
    lock = threading.Lock()

    class Handler(_Quiet):
        def do_POST(self) -> None:
            body = self.body()
            if witness.waits is not None:
                witness.waits.wait(timeout=60)
                return
            with lock:
                # The check and the record are one: two requests at once do not both continue the same tree.
                found = witness.judged(body) if self.path == "/w/add-checkpoint" else (404, "text/plain", b"")
            if witness.answer is not None:
                found = (witness.answer[0], "text/plain", witness.answer[1])
            self.reply(*found)

    with _served(Handler) as url:
        witness.url = f"{url}/w"
        yield witness


_CONFIG = """
[req]
distinguished_name = dn
x509_extensions = ca
prompt = no
[dn]
CN = {name}
[ca]
basicConstraints = critical, CA:TRUE
keyUsage = critical, keyCertSign
subjectKeyIdentifier = hash
[stamps]
basicConstraints = critical, CA:FALSE
keyUsage = critical, digitalSignature
extendedKeyUsage = critical, timeStamping
[tsa]
default_tsa = service
[service]
serial = {folder}/serial
signer_cert = {folder}/tsa.pem
signer_key = {folder}/tsa.key
signer_digest = sha256
default_policy = 1.2.3.4.1
digests = sha256, sha512
ess_cert_id_alg = sha256
"""


def _openssl(folder: Path, *arguments: str) -> None:
    subprocess.run(["openssl", *arguments], cwd=folder, check=True, capture_output=True)


def _certified(folder: Path) -> None:
    """A root, and a certificate for stamping that leads to it."""
    folder.mkdir(parents=True)
    (folder / "ca.cnf").write_text(_CONFIG.format(folder=folder, name="Test Root"))
    (folder / "tsa.cnf").write_text(_CONFIG.format(folder=folder, name="Test Stamps"))
    (folder / "serial").write_text("01\n")
    new = ("req", "-newkey", "rsa:2048", "-nodes", "-sha256")
    _openssl(folder, *new, "-x509", "-days", "3650", "-config", "ca.cnf", "-keyout", "root.key", "-out", "root.pem")
    _openssl(folder, *new, "-config", "tsa.cnf", "-keyout", "tsa.key", "-out", "tsa.csr")
    signed = ("x509", "-req", "-in", "tsa.csr", "-CA", "root.pem", "-CAkey", "root.key", "-CAcreateserial")
    _openssl(folder, *signed, "-days", "3650", "-extfile", "tsa.cnf", "-extensions", "stamps", "-out", "tsa.pem")


@contextmanager
def stamping(folder: Path, *, spoilt: Callable[[bytes], bytes] = bytes) -> Iterator[TimestampService]:
    """Args: spoilt: what becomes of its answer on the way."""
    _certified(folder)

    class Handler(_Quiet):
        def do_POST(self) -> None:
            (folder / "request.tsq").write_bytes(self.body())
            reply = ("ts", "-reply", "-config", "tsa.cnf", "-section", "service", "-queryfile", "request.tsq")
            _openssl(folder, *reply, "-out", "reply.tsr")
            self.reply(200, "application/timestamp-reply", spoilt((folder / "reply.tsr").read_bytes()))

    with _served(Handler) as url:
        yield TimestampService(url=f"{url}/tsa", roots=folder / "root.pem")
