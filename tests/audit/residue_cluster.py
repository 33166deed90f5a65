"""A PostgreSQL and a Redis of their own, set up as in production, with something in them that is to be erased."""

from __future__ import annotations

import random
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from uuid import UUID

import psycopg
from psycopg import sql

from apps.erasure.residue.access import Access
from apps.erasure.residue.needles import Needles, make_needles
from config.services import Durability, ensure_services, stop_services
from config.services.cluster import programs_directory
from tests.config.conftest import state_folder

DIMENSION = 384
DATABASE = "residue"
TABLE = "person"


@contextmanager
def running_cluster() -> Iterator[Access]:
    """Durable: with page images in WAL, compressed, and segments that are used again."""
    with state_folder() as home:
        reached = ensure_services(home=home, durability=Durability.DURABLE)
        with psycopg.connect(reached.admin_dsn, autocommit=True) as server:
            server.execute(f"CREATE DATABASE {DATABASE}")
        yield Access(
            admin_url=reached.admin_dsn,
            database=DATABASE,
            home=home,
            redis_urls=(reached.redis_url,),
            backup_url={"PGHOST": reached.postgres_host, "PGUSER": "postgres", "PGDATABASE": DATABASE},
            pg_dump=str(programs_directory() / "pg_dump"),
            initdb=str(programs_directory() / "initdb"),
            whole_server=False,
        )
        stop_services(home=home)


@dataclass(frozen=True, slots=True, kw_only=True)
class Subject:
    """Somebody's data, made of a seed."""

    emails: list[str]
    stories: list[str]
    ids: list[UUID]
    vectors: list[list[float]]
    files: list[bytes]

    def needles(self) -> Needles:
        return make_needles(
            texts=[*self.emails, *self.stories], ids=self.ids, vectors=self.vectors, contents=self.files
        )


def subject(seed: int, *, rows: int = 24) -> Subject:
    chance = random.Random(seed)

    def word() -> str:
        return "".join(chance.choices("bcdfghklmnprstvz", k=4)) + "".join(chance.choices("aeiouäöü", k=2))

    def story(length: int) -> str:
        words = [word() for _ in range(120)]  # words that repeat: PostgreSQL compresses it
        return " ".join(chance.choices(words, k=length))

    return Subject(
        emails=[f"{word()}.{word()}{number}@{word()}.example" for number in range(rows)],
        stories=[story((60, 900, 2_500)[number % 3]) for number in range(rows)],
        ids=[UUID(int=chance.getrandbits(128)) for _ in range(rows)],
        vectors=[[chance.uniform(-0.1, 0.1) for _ in range(DIMENSION)] for _ in range(rows)],
        files=[chance.randbytes(9_000) for _ in range(rows)],
    )


def make_table(access: Access, *, keep: Subject, erase: Subject) -> None:
    """A table with every sort of index that Glassbox has, and statistics; the rows of both, mixed."""
    with access.connect() as connection:
        connection.execute("CREATE EXTENSION IF NOT EXISTS vector")
        connection.execute(f"DROP TABLE IF EXISTS {TABLE}")
        connection.execute(
            f"CREATE TABLE {TABLE} (id uuid PRIMARY KEY, email text, story text, vector halfvec({DIMENSION}), "
            "file bytea, mails text[], gone boolean)"
        )
        connection.execute(f"CREATE INDEX person_email ON {TABLE} (email)")
        connection.execute(f"CREATE INDEX person_vector ON {TABLE} USING hnsw (vector halfvec_cosine_ops)")
        connection.execute(f"CREATE INDEX person_mails ON {TABLE} USING gin (mails)")
        statement = sql.SQL("INSERT INTO {} VALUES (%s, %s, %s, %s, %s, %s, %s)").format(sql.Identifier(TABLE))
        for number in range(len(erase.ids)):
            for whose in (keep, erase):
                connection.execute(
                    statement,
                    [
                        whose.ids[number],
                        whose.emails[number],
                        whose.stories[number],
                        str(whose.vectors[number]),
                        whose.files[number],
                        [whose.emails[number]],
                        whose is erase,
                    ],
                )
        # Half of them are changed once: an older version of each row, and images of whole pages in WAL.
        connection.execute("CHECKPOINT")
        connection.execute(f"UPDATE {TABLE} SET mails = mails || ARRAY['x'] WHERE email < 'm'")
        connection.execute(f"ANALYZE {TABLE}")


def remove(access: Access) -> None:
    with access.connect() as connection:
        connection.execute(f"DELETE FROM {TABLE} WHERE gone")
