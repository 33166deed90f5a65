"""A receiver of webhooks: a real HTTPS server in a thread, under an authority of its own. It verifies what it is sent
by the algorithm of Standard Webhooks, written down here from the specification and not from the code under test."""

from __future__ import annotations

import base64
import datetime
import hashlib
import hmac
import json
import ssl
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from ipaddress import ip_address
from pathlib import Path
from typing import Any

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

HOST = "hooks.glassbox.test"


@dataclass(frozen=True, kw_only=True)
class Request:
    path: str
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> dict[str, Any]:
        found: dict[str, Any] = json.loads(self.body)
        return found

    def is_signed(self, secret: str) -> bool:
        """https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md, verification."""
        key = base64.b64decode(secret.removeprefix("whsec_"))
        stamp = int(self.headers["webhook-timestamp"])
        if abs(time.time() - stamp) > 300:
            return False
        content = b".".join((self.headers["webhook-id"].encode(), str(stamp).encode(), self.body))
        wanted = base64.b64encode(hmac.digest(key, content, hashlib.sha256)).decode()
        for each in self.headers["webhook-signature"].split(" "):
            version, _, given = each.partition(",")
            if version == "v1" and hmac.compare_digest(given, wanted):
                return True
        return False


@dataclass(kw_only=True)
class Receiver:
    """answers: by the number of the request, the last for all that follow."""

    port: int = 0
    roots: Path = Path()
    requests: list[Request] = field(default_factory=list)
    answers: list[int | tuple[int, dict[str, str]] | Callable[[BaseHTTPRequestHandler], None]] = field(
        default_factory=lambda: [204]
    )
    refused: int = 0

    def url(self, host: str = HOST, path: str = "/hook") -> str:
        return f"https://{host}:{self.port}{path}"

    @property
    def types(self) -> list[str]:
        return [each.json["type"] for each in self.requests]


@contextmanager
def receiving(folder: Path, *, host: str = HOST) -> Iterator[Receiver]:
    """Args: host: whom its certificate is for."""
    found = Receiver(roots=folder / "roots.pem")
    key, certificate = folder / "key.pem", folder / "certificate.pem"
    _certified(found.roots, key, certificate, host)

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            headers = {name.lower(): value for name, value in self.headers.items()}
            place = min(len(found.requests), len(found.answers) - 1)
            found.requests.append(Request(path=self.path, headers=headers, body=body))
            answer = found.answers[place]
            if callable(answer):
                self.close_connection = True
                return answer(self)
            status, more = answer if isinstance(answer, tuple) else (answer, {})
            self.send_response(status)
            for name, value in more.items():
                self.send_header(name, value)
            self.send_header("Content-Length", "0")
            return self.end_headers()

        def log_message(self, format: str, *args: Any) -> None:
            """Not to the test's output."""

    class Server(ThreadingHTTPServer):
        daemon_threads = True

        def handle_error(self, request: Any, client_address: Any) -> None:
            found.refused += 1

    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    server = Server(("127.0.0.1", 0), Handler)
    server.socket = context.wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)
    found.port = server.server_address[1]
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield found
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def _certified(roots: Path, key_file: Path, certificate_file: Path, host: str) -> None:
    now = datetime.datetime.now(datetime.UTC)
    authority = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "an authority of the tests")])

    def built(subject: x509.Name, public: Any) -> x509.CertificateBuilder:
        return (
            x509.CertificateBuilder()
            .subject_name(subject)
            .issuer_name(name)
            .public_key(public)
            .serial_number(x509.random_serial_number())
            .not_valid_before(now - datetime.timedelta(hours=1))
            .not_valid_after(now + datetime.timedelta(days=1))
        )

    root = (
        built(name, authority.public_key())
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        .add_extension(_usage(is_authority=True), critical=True)
        .add_extension(x509.SubjectKeyIdentifier.from_public_key(authority.public_key()), critical=False)
        .sign(authority, hashes.SHA256())
    )
    key = ec.generate_private_key(ec.SECP256R1())
    names: list[x509.GeneralName] = [x509.DNSName(host), x509.IPAddress(ip_address("127.0.0.1"))]
    leaf = (
        built(x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, host)]), key.public_key())
        .add_extension(x509.SubjectAlternativeName(names), critical=False)
        .add_extension(x509.AuthorityKeyIdentifier.from_issuer_public_key(authority.public_key()), critical=False)
        .sign(authority, hashes.SHA256())
    )
    roots.write_bytes(root.public_bytes(serialization.Encoding.PEM))
    certificate_file.write_bytes(leaf.public_bytes(serialization.Encoding.PEM))
    key_file.write_bytes(
        key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    )


def _usage(*, is_authority: bool) -> x509.KeyUsage:
    return x509.KeyUsage(
        digital_signature=not is_authority,
        content_commitment=False,
        key_encipherment=False,
        data_encipherment=False,
        key_agreement=False,
        key_cert_sign=is_authority,
        crl_sign=is_authority,
        encipher_only=False,
        decipher_only=False,
    )
