"""A mail server on this machine that speaks SMTP, and does what a test wants of it at each step."""

from __future__ import annotations

import socketserver
import threading
from email import message_from_bytes, policy
from email.message import EmailMessage
from typing import Any, ClassVar, cast


class MailServer:
    """refuse_recipient, refuse_data: an answer such as `550 nobody`. break_off: the connection is cut after DATA."""

    def __init__(self) -> None:
        self.received: list[EmailMessage] = []
        self.refuse_recipient = ""
        self.refuse_data = ""
        self.break_off = False
        handler = type("Handler", (_Session,), {"mail": self})
        self._server = socketserver.ThreadingTCPServer(("127.0.0.1", 0), handler)
        self._server.daemon_threads = True
        self.port: int = self._server.server_address[1]

    def __enter__(self) -> MailServer:
        threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()


class _Session(socketserver.StreamRequestHandler):
    mail: ClassVar[Any]

    def handle(self) -> None:
        self._say("220 here")
        while line := self.rfile.readline().decode().strip():
            command = line.split(" ")[0].upper()
            if command == "RCPT" and self.mail.refuse_recipient:
                self._say(self.mail.refuse_recipient)
            elif command == "DATA":
                self._say("354 go on")
                content = b""
                while (part := self.rfile.readline()) not in (b".\r\n", b""):
                    content += part
                if self.mail.break_off:
                    return
                if self.mail.refuse_data:
                    self._say(self.mail.refuse_data)
                else:
                    message = message_from_bytes(content, policy=policy.default)
                    self.mail.received.append(cast("EmailMessage", message))
                    self._say("250 taken")
            elif command == "QUIT":
                self._say("221 bye")
                return
            else:
                self._say("250 ok")

    def _say(self, words: str) -> None:
        self.wfile.write(f"{words}\r\n".encode())
