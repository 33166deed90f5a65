"""Which pages of one file text recognition reads, within its limits, and what is said about the others."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Final

from apps.corpus.extraction.contracts import ExtractionWarning, Limits, Recognition, WarningCode

if TYPE_CHECKING:
    from PIL.Image import Image

    from apps.corpus.extraction.ocr.recognition import Recogniser
    from apps.corpus.extraction.pdf_lines import Line

DOUBTFUL_CONFIDENCE: Final = 0.99
"""Pages below are named in a warning. Measured on scans of tests/corpus/scanned.py: pages of figures without an error
are above .995; below .99 a sixth to a half of the figures was wrong, most often a comma that was read as a point."""
_MOST_NAMED: Final = 12
_OFF: Final = "text recognition is switched off (GLASSBOX_OCR)"
_MISSING: Final = "text recognition is not installed (packages rapidocr and onnxruntime)"
_NOTHING: Final = "the page is a picture in which no text was recognised"
NO_TEXT: Final = "the page is a picture without text"


class PictureReader:
    """Reads pages that are pictures, one after the other.

    Args: is_on: False where text recognition is switched off.
    """

    def __init__(self, *, is_on: bool, limits: Limits) -> None:
        self._limits = limits
        self._recogniser: Recogniser | None = None
        self._why_off = "" if is_on else _OFF
        self._pages = 0
        self._left_out: dict[str, list[int]] = {}  # pages by why
        self._doubtful: list[tuple[int, float]] = []

    @property
    def is_on(self) -> bool:
        return self._found() is not None

    def may_read(self, number: int) -> bool:
        """Return whether a page that is a picture is read. What is left out is told by `warnings`."""
        recogniser, limits = self._found(), self._limits
        if recogniser is None:
            self._left_out.setdefault(self._why_off, []).append(number)
        elif self._pages >= limits.max_recognised_pages:
            why = f"text recognition reads at most {limits.max_recognised_pages} pages of a file"
            self._left_out.setdefault(why, []).append(number)
        elif recogniser.spent_seconds + limits.max_recognition_page_seconds > limits.max_recognition_seconds:
            why = f"text recognition may take {limits.max_recognition_seconds} s of computing time for a file"
            self._left_out.setdefault(why, []).append(number)
        else:
            self._pages += 1
            return True
        return False

    def read(self, number: int, picture: Image, points_per_pixel: float) -> tuple[list[Line], Recognition] | str:
        """Return the lines of a page and how they were recognised, or why there are none."""
        from apps.corpus.extraction.ocr.recognition import TooSlowError

        recogniser = self._found()
        if recogniser is None:
            raise ValueError("ask may_read before")
        seconds = self._limits.max_recognition_page_seconds
        try:
            read = recogniser.read(picture, points_per_pixel=points_per_pixel, max_seconds=seconds)
        except TooSlowError:
            return f"the page is a picture that takes more than {seconds} s to read"
        if not read.lines:
            return _NOTHING
        if read.confidence < DOUBTFUL_CONFIDENCE:
            self._doubtful.append((number, read.confidence))
        return read.lines, Recognition(confidence=round(read.confidence, 3), words=read.words)

    def warnings(self) -> Iterator[ExtractionWarning]:
        """Yield what is to be known of all pages together."""
        for why, numbers in self._left_out.items():
            off = why == self._why_off
            code = WarningCode.RECOGNITION_OFF if off else WarningCode.RECOGNITION_LIMITED
            yield ExtractionWarning(code=code, detail=f"{_named(numbers)} not read: {why}")
        if self._doubtful:
            shares = [f"{number} ({share:.1%})" for number, share in self._doubtful[:_MOST_NAMED]]
            more = len(self._doubtful) - len(shares)
            pages = ", ".join(shares) + (f" and {more} more" if more else "")
            detail = (
                f"the text of these pages was recognised with little certainty, compare it with their images: {pages}"
            )
            yield ExtractionWarning(code=WarningCode.RECOGNITION_DOUBTFUL, detail=detail)

    def _found(self) -> Recogniser | None:
        """Load what says whether it is installed, with the first page that needs it."""
        if not self._why_off and self._recogniser is None:
            from apps.corpus.extraction.ocr.recognition import Recogniser

            recogniser = Recogniser()
            if recogniser.is_installed:
                self._recogniser = recogniser
            else:
                self._why_off = _MISSING
        return self._recogniser


def _named(numbers: Sequence[int]) -> str:
    """Return "page 3 was", or "pages 3-5, 9 were"."""
    runs: list[list[int]] = []
    for number in numbers:
        if runs and number == runs[-1][1] + 1:
            runs[-1][1] = number
        else:
            runs.append([number, number])
    said = [str(first) if first == last else f"{first}-{last}" for first, last in runs[:_MOST_NAMED]]
    more = f" and others ({len(numbers)} in all)" if len(runs) > _MOST_NAMED else ""
    return f"page {said[0]} was" if len(numbers) == 1 else f"pages {', '.join(said)}{more} were"
