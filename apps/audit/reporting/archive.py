"""Write documents into one ZIP while it is sent, so that no part of it is ever on a disk."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, datetime
from io import RawIOBase
from typing import IO, Any, Final
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

from apps.tenants.streaming import Part

README: Final = """What {firm} holds about {person} in Glassbox, as it was on {until}.

my-data.html   to read and to print: open it in any browser, it needs no connection
my-data.json   the same for a program; a document that does not end with "complete": true was cut short

Both are as confidential as your account. Whoever you send them to can read your questions where the firm keeps them.

The law: Article 15 GDPR. What else you may ask for, and whom, stands in both files.
"""


class _Sink(RawIOBase):
    """A buffer for what the archive writes, until it is drained. It can't seek, so the archive never seeks back."""

    def __init__(self) -> None:
        super().__init__()
        self._written = bytearray()

    def writable(self) -> bool:
        return True

    def write(self, data: Any) -> int:
        taken = bytes(data)
        self._written += taken
        return len(taken)

    def drain(self) -> bytes:
        drained = bytes(self._written)
        self._written.clear()
        return drained


def archive_parts(documents: Mapping[str, Iterable[Part]], *, made_at: datetime) -> Iterator[Part]:
    """Yield the parts of a ZIP of these files, each made of its own parts. Costs: one compressed part in memory."""
    sink = _Sink()
    moment = made_at.astimezone(UTC).timetuple()[:6]
    with ZipFile(sink, "w", ZIP_DEFLATED) as archive:
        for name, parts in documents.items():
            info = ZipInfo(name, date_time=moment)
            info.compress_type = ZIP_DEFLATED
            info.external_attr = 0o600 << 16
            with archive.open(info, "w", force_zip64=True) as file:
                for part in parts:
                    yield _written(part, file, sink)
    yield sink.drain


def _written(part: Part, file: IO[bytes], sink: _Sink) -> Part:
    def written() -> bytes:
        file.write(part())
        return sink.drain()

    return written
