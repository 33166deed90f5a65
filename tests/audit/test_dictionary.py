"""Somebody has a copy of the whole database, and a dictionary of short questions: is one of them in it?

A plain hash of a short question is found by hashing likely questions. GLASSBOX_DICTIONARY=1000000 tries what the log is
held to; the suite tries fewer. Of the copy, every value of every table is looked through, byte by byte: each text as it
is, and what it says in hex or base64. For every question, digests of the usual kinds and keyed ones with every key that
lies in the copy are looked for, and the questions themselves.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import itertools
import os
import re
from collections.abc import Iterator

import psycopg
import pytest
from django.conf import settings
from django.utils import timezone
from psycopg import sql

from apps.audit.canonical import COMMITMENT_DOMAIN, canonical_bytes
from apps.audit.digests import epoch, keyed_digest
from apps.audit.models import Event, Payload
from apps.audit.selectors import payloads_of
from apps.audit.services import record
from apps.audit.verify.entries import Opened
from apps.audit.verify.reading import LogReader
from apps.tenants.context import open_scope
from tests.audit.acting import checkpointed, sealed
from tests.audit.forging import ANSWERED
from tests.baked import baked
from tests.conftest import admin_dsn
from tests.factories import Firm, make_firm

pytestmark = pytest.mark.django_db(transaction=True)

SIZE = int(os.environ.get("GLASSBOX_DICTIONARY", "2000"))
# So much of a digest is as good as all of it: two of a million million do not agree in it by chance.
MARK_BYTES = 12
_SUBJECTS = ("drawdown", "fee", "return", "leverage", "exposure", "turnover", "benchmark", "custodian", "fund", "limit")
_WORDS = ("alpha", "beta", "gamma", "delta", "omega", "growth", "value", "income", "credit", "macro")


def questions() -> Iterator[str]:
    """Short questions, the likely ones first, without an end."""
    for number in itertools.count():
        for subject, word in itertools.product(_SUBJECTS, _WORDS):
            yield f"What is the {subject} of {word}{number or ''}?"


ASKED = list(itertools.islice(questions(), 0, 1_600, 40))


@pytest.fixture
def acme() -> Firm:
    """Its log holds the asked questions as the recording of a retrieval writes them, text and all."""
    firm = baked(make_firm, "acme")
    period = epoch(timezone.now())
    with open_scope(tenant=firm.id, reason="a test"):
        for text in ASKED:
            digest = keyed_digest(text, tenant=firm.id, epoch=period)
            question = {"hmac_sha256": digest, "key_epoch": period, "length_chars": len(text), "text": text}
            record(action=ANSWERED, core={"intent": "performance"}, question=question)
    sealed(firm)
    checkpointed(firm)
    return firm


class Copy:
    """Every value of every table, and what can be cut out of it."""

    def __init__(self) -> None:
        self.values: set[bytes] = set()
        self.keys: list[bytes] = [b"", bytes(32)]
        with psycopg.connect(f"{admin_dsn()} dbname={settings.TEST_DATABASE}") as connection:
            tables = connection.execute(
                "SELECT schemaname, tablename FROM pg_tables WHERE schemaname IN ('public', 'authz')"
            ).fetchall()
            for schema, table in tables:
                for row in connection.execute(sql.SQL("SELECT * FROM {}").format(sql.Identifier(schema, table))):
                    self.values |= {each for value in row for each in _bytes(value)}
            for statement in (
                "SELECT wrapped_key FROM audit_datakey",
                "SELECT inner_pad FROM authz.signing_key",
                "SELECT outer_pad FROM authz.signing_key",
            ):
                self.keys += [bytes(key) for (key,) in connection.execute(statement)]
        self.marks = {
            value[start : start + MARK_BYTES] for value in self.values for start in range(len(value) - MARK_BYTES + 1)
        }
        self.everything = b"\n".join(self.values)

    def holds(self, digest: bytes) -> bool:
        return digest[:MARK_BYTES] in self.marks


def _bytes(value: object) -> Iterator[bytes]:
    """A value's own bytes, and those that it writes in hex or base64."""
    if isinstance(value, bytes | memoryview):
        yield bytes(value)
        return
    text = value if isinstance(value, str) else repr(value)
    yield text.encode()
    for digits in re.findall(r"(?:[0-9a-fA-F]{2}){12,}", text):
        yield bytes.fromhex(digits)
    for word in re.findall(r"[A-Za-z0-9+/]{16,}={0,2}", text):
        try:
            yield base64.b64decode(word, validate=True)
        except binascii.Error:
            continue


def guesses(text: str, keys: list[bytes]) -> Iterator[bytes]:
    """What a question might lie there as, for somebody who has the copy alone."""
    forms = [text.encode(), text.lower().encode(), canonical_bytes({"text": text})]
    committed = b"\0".join((COMMITMENT_DOMAIN, b"question", forms[2]))
    for form in forms:
        for name in ("md5", "sha1", "sha256", "sha512", "sha3_256", "blake2b"):
            yield hashlib.new(name, form).digest()
    yield hashlib.sha256(b"\0" + forms[0]).digest()
    for key in keys:
        yield hmac.digest(key, forms[0], "sha256")
        yield hmac.digest(key, committed, "sha256")


def found_in(copy: Copy, tried: int) -> list[str]:
    return [
        text
        for text in itertools.islice(questions(), tried)
        if any(copy.holds(guess) for guess in guesses(text, copy.keys))
    ]


def test_no_question_of_a_dictionary_is_found_in_a_copy_of_the_database(acme: Firm) -> None:
    copy = Copy()
    assert found_in(copy, SIZE) == []
    assert not any(text.encode() in copy.everything for text in ASKED)


def test_with_a_plain_digest_or_a_known_key_the_same_search_finds_them(acme: Firm) -> None:
    """The control: the copy and the search are good enough to find what could be found."""
    with open_scope(tenant=acme.id, reason="a test"):
        sealed_question = Payload.objects.filter(group="question").first()
        assert sealed_question is not None
        reader = LogReader(contents=True)
        entry = next(each for each in reader.entries(0) if each.event_id == sealed_question.event_id)
        opened = entry.groups["question"]
        assert isinstance(opened, Opened)
        plain = hashlib.sha256(ASKED[3].encode()).hexdigest()
        record(action="tenants.scope.created", core={"key": "x"}, subject_type=plain)
    copy = Copy()
    assert found_in(copy, 400) == [ASKED[3]]
    # With the salt, which lies sealed beside the content, the commitment is there to be found.
    message = b"\0".join((COMMITMENT_DOMAIN, b"question", opened.content))
    assert copy.holds(hmac.digest(opened.salt, message, "sha256"))
    assert not copy.holds(hmac.digest(bytes(32), message, "sha256"))


def test_who_has_the_keys_reads_them(acme: Firm) -> None:
    with open_scope(tenant=acme.id, reason="a test"):
        events = [row.event_id for row in Payload.objects.filter(group="question")]
        told = payloads_of(Event.objects.filter(id__in=events))
    assert {each["question"]["text"] for each in told.values()} == set(ASKED)
