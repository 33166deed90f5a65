"""As much of curl as the examples of the OpenAPI document use, for machines that have none."""

from __future__ import annotations

import argparse
import re
import sys
import uuid
from http.client import HTTPConnection, HTTPResponse
from pathlib import Path
from urllib.parse import urlsplit


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="curl")
    parser.add_argument("url")
    parser.add_argument("-X", dest="method", default="")
    parser.add_argument("-H", dest="headers", action="append", default=[])
    parser.add_argument("-d", dest="body", default="")
    parser.add_argument("-F", dest="parts", action="append", default=[])
    parser.add_argument("--form-string", dest="parts", action="append", type=_as_it_stands)
    parser.add_argument("-O", dest="to_file", action="store_true")
    parser.add_argument("-J", dest="name_from_header", action="store_true")
    told = parser.parse_args(arguments)
    headers = dict(re.split(r":\s*", header, maxsplit=1) for header in told.headers)
    body = sys.stdin.buffer.read() if told.body == "@-" else told.body.encode()
    if told.parts:
        boundary = uuid.uuid4().hex
        headers["Content-Type"] = f"multipart/form-data; boundary={boundary}"
        body = b"".join(_part(part, boundary) for part in told.parts) + f"--{boundary}--\r\n".encode()
    address = urlsplit(told.url)
    connection = HTTPConnection(address.hostname or "", address.port, timeout=30)
    target = f"{address.path}?{address.query}" if address.query else address.path
    connection.request(told.method or ("POST" if body else "GET"), target, body or None, headers)
    response = connection.getresponse()
    _deliver(response.read(), response, to_file=told.to_file)
    return 22 if response.status >= 400 else 0


class _AsItStands(str):
    __slots__ = ()


def _as_it_stands(part: str) -> _AsItStands:
    return _AsItStands(part)


def _part(part: str, boundary: str) -> bytes:
    name, _, value = part.partition("=")
    quoted = re.fullmatch(r'"([^"]*)"((?:;\w+=[^;]+)+)', value)
    if isinstance(part, _AsItStands) or not (value.startswith("@") or quoted):
        return f'--{boundary}\r\nContent-Disposition: form-data; name="{name}"\r\n\r\n{value}\r\n'.encode()
    path, *options = (quoted.group(2) if quoted else value[1:]).split(";")
    about = dict(option.split("=", 1) for option in options)
    if quoted:
        content = quoted.group(1).encode()
    else:
        content = sys.stdin.buffer.read() if path == "-" else Path(path).read_bytes()
    head = f'--{boundary}\r\nContent-Disposition: form-data; name="{name}"; filename="{about["filename"]}"\r\n'
    return f"{head}Content-Type: {about['type']}\r\n\r\n".encode() + content + b"\r\n"


def _deliver(content: bytes, response: HTTPResponse, *, to_file: bool) -> None:
    named = re.search(r'filename="([^"/]+)"', response.headers.get("Content-Disposition", ""))
    if to_file and named:
        Path(named.group(1)).write_bytes(content)
    else:
        sys.stdout.buffer.write(content)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
