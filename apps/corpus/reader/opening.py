"""Refuse a file whose container can't be opened, in a separate process, while somebody waits: within narrower limits.

A PDF and a Word document tell by themselves that they need a password, are cut off or damaged, or have no pages. Only
its job can tell what takes longer: a limit that is met here, or a reader that fails, refuses nothing.
"""

from __future__ import annotations

import logging
from typing import Final

from apps.corpus.extraction.contracts import Limits, MediaType
from apps.corpus.extraction.errors import NoSandboxError, ReaderFailedError, TooCostlyError
from apps.corpus.reader.contracts import ReadRequest
from apps.corpus.reader.process import contained

logger = logging.getLogger("glassbox.corpus")

_MIB: Final = 1024 * 1024
# To open what takes minutes to read is a matter of milliseconds.
LIMITS: Final = Limits(
    max_seconds=10,
    max_seconds_per_mebibyte=0,
    max_page_seconds=10,
    max_memory_bytes=384 * _MIB,
    max_memory_ratio=4,
    max_output_bytes=_MIB,
    max_output_ratio=0,
)
DEADLINE_S: Final = 30
_OPENED: Final = frozenset({MediaType.PDF, MediaType.DOCX})


def require_opens(content: bytes, *, filename: str, media_type: MediaType) -> None:
    """Have a file opened without reading its pages, if its format has something to open.

    Raises: EncryptedFileError, TruncatedFileError, CorruptFileError, MacroFileError; TooManyPagesError.
    """
    if media_type not in _OPENED:
        return
    try:
        contained("open", content, ReadRequest(filename=filename, limits=LIMITS), deadline_s=DEADLINE_S)
    except (TooCostlyError, ReaderFailedError, NoSandboxError) as error:
        # The job reads it within the limits of a whole file, and its error stands on the document.
        logger.info("a file was taken in without having been opened: %s", error.code)
