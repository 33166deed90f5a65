"""Which part of a file is asked for: one range of bytes (RFC 9110, section 14)."""

from __future__ import annotations

import re
from typing import Final

from rest_framework.request import Request

from apps.tenants.api.errors import RequestRefusedError

_ONE: Final = re.compile(r"bytes=\s*(\d{0,19})-(\d{0,19})\s*", re.IGNORECASE)


def wanted_bytes(request: Request, *, size_bytes: int, etag: str) -> range | None:
    """The bytes that Range asks for, counted from 0; None for all of them.

    A range that can't be read, several of them, and one of what If-Range says was another file are answered with all,
    as the RFC has it.

    Raises: RequestRefusedError: it begins after the last byte.
    """
    found = _ONE.fullmatch(request.headers.get("Range", ""))
    if found is None or request.headers.get("If-Range", etag) != etag:
        return None
    first, last = found.groups()
    if not first and not last:
        return None
    if not first:
        start, stop = max(0, size_bytes - int(last)), size_bytes
    else:
        start, stop = int(first), min(int(last or size_bytes), size_bytes - 1) + 1
        if last and int(last) < start:
            return None
    if start >= size_bytes or start >= stop:
        raise RequestRefusedError("api.range_not_satisfiable", size_bytes=size_bytes)
    return range(start, stop)
