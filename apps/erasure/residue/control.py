"""The positive control, before anything is removed: a scan that would not find what is there proves nothing.

Two parts. Every thing that is to be erased must be found where it is now. And made-up things, written in every
encoding, are put into a table, an index, WAL, a dump, Redis and a file for the moment, and must be found there: most
encodings of the real ones lie nowhere, which is how it should be, and would otherwise never have been tried.
"""

from __future__ import annotations

import random
import secrets
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from uuid import UUID

import psycopg
import redis
from psycopg import sql

from apps.erasure.residue.encodings import Encoding
from apps.erasure.residue.needles import Needles, make_needles
from apps.erasure.residue.places import ByteSource, ByteSources, dump_of, every_place
from apps.erasure.residue.results import ControlResult, Planted
from apps.erasure.residue.scanning import OnProgress, scan_each, scan_places

_DIMENSION = 384
_KEY_SECONDS = 600  # so long a planted key lives at most, should its removal be prevented
# What PostgreSQL's own types and pg_dump make of the planted things, where each must then be found.
_READABLE = (Encoding.UTF8, Encoding.UUID_BYTES, Encoding.FLOAT16)
_DUMPED = (Encoding.COPY, Encoding.UUID_TEXT, Encoding.VECTOR_TEXT, Encoding.HEX)


def control(needles: Needles, places: ByteSources, *, on_progress: OnProgress | None = None) -> ControlResult:
    """Show that the scan would find what it looks for. Takes as long as a scan, and a little more.

    The planted things stay in WAL and in freed disk blocks; they are random, and concern nobody.
    """
    return control_each([needles], places, on_progress=on_progress)[0]


def control_each(
    several: Sequence[Needles], places: ByteSources, *, on_progress: OnProgress | None = None
) -> list[ControlResult]:
    """The same for several sets of needles, in one pass; what is planted is planted once."""
    scans = scan_each(several, places, on_progress=on_progress)
    planted = tuple(_planted(places))
    results = []
    for needles, found in zip(several, scans, strict=True):
        missing = Counter(needles.sources[source].value for source in needles.looked_for() - found.found)
        results.append(ControlResult(scan=found, missing=dict(missing), planted=planted))
    return results


def _planted(places: ByteSources) -> Iterator[Planted]:
    plants = _Plants()
    access = replace(places.access, whole_server=False)
    with (
        access.connect() as connection,
        _in_database(connection, plants),
        _in_redis(places, plants),
        _in_folder(places, plants),
    ):
        connection.execute("CHECKPOINT")
        now = every_place(access, dump=False).places
        for group, chosen, expected in _expected(plants, now, home=f"folder {access.home.name}"):
            yield from _look_for(plants, group, chosen, expected)
        if access.pg_dump:
            dump = ByteSource(group="dump", name="pg_dump", read=lambda: dump_of(access, schema=plants.name))
            yield from _look_for(plants, "dump", [dump], _DUMPED)


def _expected(
    plants: _Plants, now: Sequence[ByteSource], *, home: str
) -> Iterator[tuple[str, list[ByteSource], Sequence[Encoding]]]:
    """Each sort of place: what it is called, where the planted things lie there, and in which encodings."""
    everything = [encoding for encoding in Encoding if encoding in plants.encodings]
    bytes_, typed, packed = (f"{plants.name}_{suffix}" for suffix in ("bytes", "typed", "packed"))
    expected: tuple[tuple[str, str, str, Sequence[Encoding]], ...] = (
        ("heap", "heap", bytes_, everything),
        ("heap, typed", "heap", typed, _READABLE),
        ("heap, compressed", "heap", packed, [Encoding.UTF8]),
        ("TOAST, compressed", "TOAST", packed, [Encoding.UTF8]),
        ("index (btree)", "index (btree)", typed, [Encoding.UTF8, Encoding.UUID_BYTES]),
        ("index (gin)", "index (gin)", typed, [Encoding.UTF8]),
        ("index (hnsw)", "index (hnsw)", typed, [Encoding.FLOAT16_UNIT]),
    )
    if any(place.group == "heap" for place in now):  # else the server's files are out of reach, which the scan says
        for shown, group, table, encodings in expected:
            yield shown, [place for place in now if place.group == group and place.table == table], encodings
        for group, encodings in (("WAL", everything), ("pg_statistic", [Encoding.UTF8])):
            yield group, [place for place in now if place.group == group], encodings
    if any(place.group == "Redis" for place in now):
        yield "Redis", [place for place in now if place.group == "Redis"], everything
    yield home, [place for place in now if place.group == home and place.name == plants.name], everything


def _look_for(plants: _Plants, group: str, places: list[ByteSource], expected: Sequence[Encoding]) -> Iterator[Planted]:
    seen = {hit.encoding for hit in scan_places(plants.needles, places).hits}
    for encoding in expected:
        yield Planted(group=group, encoding=encoding, found=encoding in seen)


class _Plants:
    """Random things of each sort, and the needles for them. Nothing of a subject is written anywhere anew."""

    def __init__(self) -> None:
        token = secrets.token_hex(6)
        self.name = f"residue_check_{token}"
        chance = random.Random(token)  # noqa: S311 (made-up names, no secret)
        # Something of all that encodings treat in their own way: umlaut, quotes, markup, line end, tab, backslash.
        self.text = f'Zoë-{token} <Ü&ß> "q"\t\\{chance.randrange(10**6)} Öz\n{token}'
        self.number = UUID(int=chance.getrandbits(128))
        self.vector = [round(chance.uniform(0.02, 0.09), 5) for _ in range(_DIMENSION)]
        self.content = chance.randbytes(48)
        self.needles = make_needles(
            texts=[self.text],
            ids=[self.number],
            vectors=[self.vector],
            contents=[self.content],
            terms_of=lambda text: [f"zoe{token}"],
        )
        self.encodings = {needle.encoding for needle in self.needles.needles}

    def everything(self) -> bytes:
        return b"\n".join(needle.pattern for needle in self.needles.needles)

    def typed(self) -> tuple[str, UUID, str, bytes]:
        return self.text, self.number, f"[{','.join(map(str, self.vector))}]", self.content

    def packed(self, length: int, variety: int) -> str:
        """A text that PostgreSQL compresses, with the planted one in the middle."""
        words = [secrets.token_hex(3) for _ in range(variety)]
        filler = " ".join(words[number * number % variety] for number in range(length // 7))
        return f"{filler} {self.text} {filler}"


@contextmanager
def _in_database(connection: psycopg.Connection, plants: _Plants) -> Iterator[None]:
    """Tables in a schema of their own, which no role of the application may enter but the one for backups."""
    schema = sql.Identifier(plants.name)
    text, number, vector, content = plants.typed()

    def table(suffix: str) -> sql.Identifier:
        return sql.Identifier(plants.name, f"{plants.name}_{suffix}")

    connection.execute(sql.SQL("CREATE SCHEMA {}").format(schema))
    try:
        connection.execute(sql.SQL("CREATE TABLE {} (content bytea)").format(table("bytes")))
        connection.execute(sql.SQL("ALTER TABLE {} ALTER content SET STORAGE PLAIN").format(table("bytes")))
        for needle in plants.needles.needles:
            connection.execute(sql.SQL("INSERT INTO {} VALUES (%s)").format(table("bytes")), [needle.pattern])
        connection.execute(
            sql.SQL(
                "CREATE TABLE {} (name text, id uuid, vector public.halfvec({}), content bytea, words tsvector)"
            ).format(table("typed"), sql.Literal(_DIMENSION))
        )
        for index in (
            "CREATE INDEX ON {} (name)",
            "CREATE INDEX ON {} (id)",
            "CREATE INDEX ON {} USING hnsw (vector public.halfvec_cosine_ops)",
            "CREATE INDEX ON {} USING gin (words)",
        ):
            connection.execute(sql.SQL(index).format(table("typed")))
        for _ in range(2):  # what occurs more than once is a most common value, and so goes into pg_statistic
            connection.execute(
                sql.SQL("INSERT INTO {} VALUES (%s, %s, %s, %s, array_to_tsvector(ARRAY[%s]))").format(table("typed")),
                [text, number, vector, content, text],
            )
        connection.execute(sql.SQL("ANALYZE {}").format(table("typed")))
        connection.execute(sql.SQL("CREATE TABLE {} (content text)").format(table("packed")))
        for packed in (plants.packed(4_000, 20), plants.packed(60_000, 4_000)):
            connection.execute(sql.SQL("INSERT INTO {} VALUES (%s)").format(table("packed")), [packed])
        yield
    finally:
        with connection.transaction():
            connection.execute("SET LOCAL client_min_messages = warning")
            connection.execute(sql.SQL("DROP SCHEMA {} CASCADE").format(schema))


@contextmanager
def _in_redis(places: ByteSources, plants: _Plants) -> Iterator[None]:
    key = places.access.redis_match.replace("*", "") + plants.name
    clients = [redis.Redis.from_url(url) for url in places.access.redis_urls]
    try:
        for client in clients:
            client.set(key, plants.everything(), ex=_KEY_SECONDS)
        yield
    finally:
        for client in clients:
            client.delete(key)
            client.close()


@contextmanager
def _in_folder(places: ByteSources, plants: _Plants) -> Iterator[None]:
    path = places.access.home / plants.name
    try:
        path.touch(mode=0o600)
        path.write_bytes(plants.everything())
        yield
    finally:
        path.unlink(missing_ok=True)
