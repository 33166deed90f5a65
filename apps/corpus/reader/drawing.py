"""Have a page of a PDF drawn in a separate process, while somebody waits: few at once, within narrower limits."""

from __future__ import annotations

import threading
from typing import Final, cast

from apps.corpus.extraction.contracts import Limits
from apps.corpus.reader.contracts import PagePicture, PictureRequest
from apps.corpus.reader.errors import DrawingBusyError
from apps.corpus.reader.process import contained

_MIB: Final = 1024 * 1024
# For one page, with somebody waiting. What a page needs is far below: 0.3 s and 100 MiB for one full of text.
LIMITS: Final = Limits(
    max_seconds=10,
    max_seconds_per_mebibyte=0,
    max_page_seconds=10,
    max_memory_bytes=384 * _MIB,
    max_memory_ratio=4,
    max_output_bytes=32 * _MIB,
    max_output_ratio=0,
)
# Of one web process at once; others wait.
AT_ONCE: Final = 2
PATIENCE_S: Final = 10.0
# A page that is drawn uses the processor; one that waits instead is ended.
DEADLINE_S: Final = 30
_turns = threading.BoundedSemaphore(AT_ONCE)


def picture_contained(content: bytes, *, filename: str, page: int, scale: int) -> PagePicture:
    """Draw a page. Raises: ExtractionError; DrawingBusyError: others are being drawn for too long."""
    if not _turns.acquire(timeout=PATIENCE_S):
        raise DrawingBusyError
    try:
        request = PictureRequest(filename=filename, page=page, scale=scale, limits=LIMITS)
        return cast(PagePicture, contained("picture", content, request, deadline_s=DEADLINE_S))
    finally:
        _turns.release()
