"""Needles: every way in which a thing may be written down is looked for, and found by the matcher, wherever it lies."""

from __future__ import annotations

import base64
import json
import random
from collections.abc import Callable
from urllib.parse import quote_plus
from uuid import UUID

import numpy as np
import pytest
from django.db import connection
from hypothesis import given, settings
from hypothesis import strategies as st

from apps.erasure.residue.encodings import Encoding
from apps.erasure.residue.matching import Matcher
from apps.erasure.residue.needles import SHORTEST_BYTES, Needles, Sort, make_needles

pytestmark = pytest.mark.slow

NAME = 'Zoë "Öz" Müller-Przybylski\t& Söhne\\Co'
ID = UUID("0190c2f0-7a3b-7c11-9a51-3f9d2b6e8a77")
VECTOR = [0.0123, -0.0456, 0.0789, 0.0311, -0.0622, 0.0955, 0.0187, -0.0299]


def encodings_in(needles: Needles, data: bytes) -> set[Encoding]:
    matcher = Matcher([needle.pattern for needle in needles.needles])
    return {needles.needles[number].encoding for _, number in matcher.find(data)}


@pytest.mark.parametrize(
    ("encoding", "written"),
    [
        (Encoding.UTF8, str.encode),
        (Encoding.FOLDED, lambda text: text.lower().encode()),
        (Encoding.LATIN1, lambda text: text.encode("cp1252")),
        (Encoding.UTF16_LE, lambda text: text.encode("utf-16-le")),
        (Encoding.UTF16_BE, lambda text: text.encode("utf-16-be")),
        (Encoding.JSON, lambda text: json.dumps({"x": text}, ensure_ascii=False).encode()),
        (Encoding.JSON_ASCII, lambda text: json.dumps({"x": text}).encode()),
        (Encoding.HTML, lambda text: text.replace("&", "&amp;").replace('"', "&quot;").encode()),
        (Encoding.URL, lambda text: quote_plus(text).encode()),
        (Encoding.COPY, lambda text: text.replace("\\", "\\\\").replace("\t", "\\t").encode()),
        (Encoding.HEX, lambda text: b"\\x" + text.encode().hex().encode()),
        (Encoding.BASE64, lambda text: base64.b64encode(text.encode())),
    ],
)
def test_a_text_is_found_in_every_encoding(encoding: Encoding, written: Callable[[str], bytes]) -> None:
    assert encoding in encodings_in(make_needles(texts=[NAME]), b"before " + written(NAME) + b" after")


@given(before=st.binary(max_size=20), after=st.binary(max_size=20), urlsafe=st.booleans())
def test_base64_is_found_wherever_it_begins_within_what_was_encoded(before: bytes, after: bytes, urlsafe: bool) -> None:
    encode = base64.urlsafe_b64encode if urlsafe else base64.b64encode
    written = encode(before + NAME.encode() + after)
    assert Encoding.BASE64 in encodings_in(make_needles(texts=[NAME]), written)


def test_a_message_of_the_queue_is_found() -> None:
    body = base64.b64encode(json.dumps([[NAME], {}, {}]).encode())
    assert Encoding.BASE64 in encodings_in(make_needles(texts=[NAME]), body)


@pytest.mark.parametrize(
    ("encoding", "written"),
    [
        (Encoding.UUID_BYTES, ID.bytes),
        (Encoding.UUID_TEXT, str(ID).encode()),
        (Encoding.UUID_TEXT, ID.hex.encode()),
        (Encoding.UUID_TEXT, str(ID).upper().encode()),
        (Encoding.UTF16_LE, str(ID).encode("utf-16-le")),
        (Encoding.BASE64, base64.b64encode(str(ID).encode())),
    ],
)
def test_an_id_is_found_as_bytes_and_as_text(encoding: Encoding, written: bytes) -> None:
    assert encoding in encodings_in(make_needles(ids=[ID]), b"." + written + b".")


@pytest.mark.parametrize(
    ("encoding", "written"),
    [
        (Encoding.FLOAT16, np.array(VECTOR, dtype="<f2").tobytes()),
        (Encoding.FLOAT32, np.array(VECTOR, dtype="<f4").tobytes()),
        (Encoding.HEX, np.array(VECTOR, dtype="<f2").tobytes().hex().encode()),
        (Encoding.BASE64, base64.b64encode(b"x" + np.array(VECTOR, dtype="<f4").tobytes())),
        (Encoding.VECTOR_TEXT, ("[" + ",".join(map(str, VECTOR)) + "]").encode()),
    ],
)
def test_a_vector_is_found_as_numbers_and_as_text(encoding: Encoding, written: bytes) -> None:
    assert encoding in encodings_in(make_needles(vectors=[VECTOR]), b"..." + written + b"...")


def test_a_file_is_found_by_its_pieces_though_it_is_cut_up() -> None:
    content = np.random.default_rng(1).bytes(20_000)
    needles = make_needles(contents=[content])
    assert needles.looked_for() == {0, 1, 2}
    assert encodings_in(needles, content[:4_000]) == set()
    assert encodings_in(needles, content[4_000:6_000]) == {Encoding.BYTES}


def test_terms_are_those_of_the_postings() -> None:
    needles = make_needles(texts=["Przybylski"], terms_of=lambda text: [text.lower()[:9], "ab"])
    assert Encoding.TERM in encodings_in(needles, b"przybylsk")
    assert needles.sources == (Sort.TEXT, Sort.TERM, Sort.TERM)
    assert needles.left_out == {"too short or too plain": 1}


def test_what_is_too_short_or_too_plain_is_counted_and_not_looked_for() -> None:
    needles = make_needles(texts=["Ann", "aaaaaaaaaaaa", "Annabel Lee"], contents=[bytes(64)])
    assert needles.looked_for() == {2}
    assert needles.left_out == {"too short or too plain": 3}


def test_what_is_left_out_for_its_number_is_counted() -> None:
    needles = make_needles(texts=[f"person number {number}" for number in range(100)], most=30)
    assert len(needles.looked_for()) == 30
    assert needles.left_out == {"more than can be searched for at once": 70}


def test_sources_that_are_taken_out_are_counted() -> None:
    needles = make_needles(texts=["Annabel Lee", "John Smith"]).without([1], reason="common")
    assert needles.looked_for() == {0}
    assert needles.left_out == {"common": 1}
    assert encodings_in(needles, b"John Smith") == set()


def test_the_digest_tells_of_the_set_alone_and_needs_the_key() -> None:
    one, other = make_needles(texts=["Annabel Lee", "John Smith"]), make_needles(texts=["John Smith", "Annabel Lee"])
    assert one.digest(b"key") == other.digest(b"key")
    assert one.digest(b"key") != one.digest(b"other key")
    assert one.digest(b"key") != make_needles(texts=["Annabel Lee"]).digest(b"key")


def test_what_is_printed_of_needles_shows_none() -> None:
    assert "Annabel" not in repr(make_needles(texts=["Annabel Lee"]))
    assert "Annabel" not in repr(make_needles(texts=["Annabel Lee"]).needles[0])


@settings(deadline=None)
@given(
    patterns=st.lists(st.binary(min_size=SHORTEST_BYTES, max_size=12), min_size=1, max_size=20, unique=True),
    gaps=st.lists(st.binary(max_size=9), min_size=1, max_size=20),
    padding=st.sampled_from([0, 131_060, 131_072]),
)
def test_the_matcher_finds_what_a_plain_search_finds(patterns: list[bytes], gaps: list[bytes], padding: int) -> None:
    data = bytes(padding) + b"".join(gap + patterns[number % len(patterns)] for number, gap in enumerate(gaps))
    expected = {
        (place, number)
        for number, pattern in enumerate(patterns)
        for place in range(len(data) if any(pattern) else 0)
        if place + 40 > padding and data.startswith(pattern, place)
    }
    found = {(place, number) for place, number in Matcher(patterns).find(data) if any(patterns[number])}
    assert found == expected


def test_a_short_block_and_no_patterns_find_nothing() -> None:
    assert list(Matcher([b"abcdef"]).find(b"abcde")) == []
    assert list(Matcher([]).find(b"abcdef")) == []


@pytest.mark.django_db
@pytest.mark.parametrize("kind", ["halfvec", "vector"])
def test_a_vector_s_text_is_the_one_that_postgresql_writes_whatever_the_size_of_its_numbers(kind: str) -> None:
    """Else a vector that another passage has too would be taken for one that only the removed one had."""
    chosen = random.Random(7)
    values = [chosen.uniform(-1, 1) * 10 ** -chosen.randint(0, 7) for _ in range(378)] + [
        0.0,
        -1e-4,
        1e-4,
        5e-5,
        1.0,
        -0.5,
    ]
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT %s::{kind}::text", [str(values)])
        (written,) = cursor.fetchone()
    needles = make_needles(vectors=[values])
    texts = [each.pattern for each in needles.needles if each.encoding is Encoding.VECTOR_TEXT]
    pieces = {each.source for each in needles.needles}
    found = {
        each.source
        for each in needles.needles
        if each.encoding is Encoding.VECTOR_TEXT and each.pattern in written.encode()
    }
    assert texts
    assert found == pieces
