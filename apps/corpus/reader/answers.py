"""Check that the reading process's answer is consistent, since a compromised child process can send anything.

A wrong text of the file itself can't be distinguished from a right one. The checks cover citations: the text of a
passage equals its span of the page, and the postings agree with the passages.
"""

from __future__ import annotations

import hashlib
import struct
from collections import defaultdict
from collections.abc import Mapping, Sequence
from itertools import groupby
from math import inf
from typing import Any, Final, NoReturn

from pydantic import ValidationError

from apps.corpus.description import InvalidFieldError
from apps.corpus.errors import NoPassagesError
from apps.corpus.extraction import ExtractionError
from apps.corpus.extraction.contracts import MediaType, Page, Recognition
from apps.corpus.reader.contracts import BOX_PARTS, PagePicture, ReadDocument, ReadPassage, ReadPosting
from apps.corpus.reader.picture import MOST_CHARACTERS, MOST_PIXELS, MOST_SIDE_PIXELS, PNG_BEGINS
from apps.corpus.registry import check_derived
from apps.errors import ApplicationError

# Where a PNG image has the name and the values of its first part.
_HEADER: Final = slice(12, 29)


class ContradictionError(ValueError):
    """A contradiction in an answer; the message describes it in words and quotes nothing from the file."""


def check_pages(pages: Sequence[Page]) -> Mapping[int, Page]:
    """Return the pages by number.

    Raises: ContradictionError: the numbers do not increase, or start below 1; recognised words have no place.
    """
    before = 0
    for page in pages:
        if page.number <= before:
            _refuse("a page that does not follow the one before")
        before = page.number
        if page.recognition is not None:
            _check_recognition(page.recognition)
    return {page.number: page for page in pages}


def _check_recognition(recognition: Recognition) -> None:
    if not 0 <= recognition.confidence <= 1:
        _refuse("a confidence that is none")
    if sum(len(word.text) for word in recognition.words) > MOST_CHARACTERS:
        _refuse("more words than a page has")
    if not all(0 <= part <= BOX_PARTS for word in recognition.words for part in word[1:]):
        _refuse("a word beyond its page")


def check_picture(picture: PagePicture) -> None:
    """Check that an image is one that a browser decodes at a bounded cost, and that each character has its box.

    Raises: ContradictionError.
    """
    image = picture.image
    if not image.startswith(PNG_BEGINS) or len(image) < _HEADER.stop or image[_HEADER][:4] != b"IHDR":
        _refuse("an image of another format")
    columns, rows, depth, colours, *rest = struct.unpack(">IIBBBBB", image[_HEADER][4:])
    if (depth, colours, rest) != (8, 2, [0, 0, 0]) or not 0 < columns * rows <= MOST_PIXELS:
        _refuse("an image of another form")
    sizes_pt = (picture.width_pt, picture.height_pt)
    if max(columns, rows) > MOST_SIDE_PIXELS or not all(0 < size < inf for size in sizes_pt):
        _refuse("an image of another form")
    if len(picture.text) > MOST_CHARACTERS or len(picture.boxes) != 4 * len(picture.text):
        _refuse("characters without their places")
    if not all(0 <= part <= BOX_PARTS for part in picture.boxes):
        _refuse("a character beyond its page")


def check_reading(read: ReadDocument, possible: frozenset[MediaType]) -> None:
    """Args: possible: what a file of this name can be. Raises: ContradictionError."""
    if read.media_type not in possible:
        _refuse("a format that its name excludes")
    pages = check_pages(read.pages)
    for number, child in enumerate(read.children, start=1):
        _check_child(child, number, pages)
    _check_parents(read, pages)
    _check_postings(read.postings, len(read.children), read.term_count)
    try:
        check_derived(read.derived, pages, read.media_type)
    except (KeyError, ValidationError):
        _refuse("something derived that was not asked for")


def _check_child(child: ReadPassage, number: int, pages: Mapping[int, Page]) -> None:
    draft = child.draft
    page = pages.get(draft.page_start)
    if page is None or draft.page_end != draft.page_start:
        _refuse("a passage without its page")
    if draft.is_parent or draft.number != number or draft.token_count < 0:
        _refuse("passages that are not counted")
    if not 0 <= draft.char_start < draft.char_end <= len(page.text):
        _refuse("a passage beyond its page")
    if draft.text != page.text[draft.char_start : draft.char_end]:
        _refuse("a passage that its page does not hold")
    _check_digest(child)


def _check_parents(read: ReadDocument, pages: Mapping[int, Page]) -> None:
    """Check that the text of each parent is the text of its children's pages from the first child to the last."""
    groups: dict[int, list[ReadPassage]] = defaultdict(list)
    for child in read.children:
        if child.draft.parent_number is not None:
            groups[child.draft.parent_number].append(child)
    for number, parent in enumerate(read.parents, start=len(read.children) + 1):
        draft, group = parent.draft, [child.draft for child in groups.pop(number, [])]
        if not group or not draft.is_parent or draft.number != number or draft.token_count < 0:
            _refuse("passages that are not counted")
        parts = []
        for page, on_page in groupby(group, key=lambda each: each.page_start):
            run = list(on_page)
            parts.append(pages[page].text[run[0].char_start : run[-1].char_end])
        first, last = group[0], group[-1]
        said = (draft.text, draft.page_start, draft.page_end, draft.char_start, draft.char_end)
        if said != ("\n".join(parts), first.page_start, last.page_end, first.char_start, last.char_end):
            _refuse("a passage that its pages do not hold")
        _check_digest(parent)
    if groups:
        _refuse("a passage in one that is not there")


def _check_digest(passage: ReadPassage) -> None:
    if passage.content_sha256 != hashlib.sha256(passage.draft.text.encode()).hexdigest():
        _refuse("a passage with another's digest")


def _check_postings(postings: Sequence[ReadPosting], children: int, term_count: int) -> None:
    lengths: dict[int, int] = {}
    counted: dict[int, int] = defaultdict(int)
    for posting in postings:
        numbers, frequencies = posting.chunk_numbers, posting.term_frequencies
        if not len(numbers) == len(frequencies) == len(posting.chunk_term_counts) > 0:
            _refuse("columns of different lengths")
        for number, frequency, length in zip(numbers, frequencies, posting.chunk_term_counts, strict=True):
            if not 1 <= number <= children or frequency < 1 or lengths.setdefault(number, length) != length:
                _refuse("terms that are not counted")
            counted[number] += frequency
    if counted != lengths or sum(counted.values()) != term_count:
        _refuse("terms that are not counted")


def refusal(told: Mapping[str, Any], filename: str) -> ApplicationError:
    """Return the error of ours with which the reading ended, for this file and with texts that fit on a line.

    Raises: KeyError, TypeError: the answer names no known error, or lacks a part.
    """
    kind = _ERRORS[told["error"]]
    data = {key: _told(value) for key, value in dict(told["data"]).items()}
    return kind(**data | {"filename": filename} if "filename" in data else data)


def _told(value: object) -> object:
    return value if isinstance(value, int | float) else printable(value)


def printable(value: object, *, most: int = 300) -> str:
    """Return the value as text on one line, for a log and a page."""
    return "".join(each if each.isprintable() else " " for each in str(value)[:most])


def _errors(base: type[ApplicationError]) -> dict[str, type[ApplicationError]]:
    known = {base.__name__: base}
    for each in base.__subclasses__():
        known |= _errors(each)
    return known


_ERRORS: Final = _errors(ExtractionError) | {each.__name__: each for each in (NoPassagesError, InvalidFieldError)}


def _refuse(what: str) -> NoReturn:
    raise ContradictionError(what)
