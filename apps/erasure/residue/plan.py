"""What the physical phase sets out to do, in a form that can be kept, so that it can be resumed. No personal data."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import asdict, dataclass
from typing import Any

import psycopg

from apps.erasure.residue.access import Access

_STATISTICS = ("pg_statistic", "pg_statistic_ext_data")


@dataclass(frozen=True, slots=True, kw_only=True)
class Relation:
    """A table, and the number of the file that its rows lie in until it is written anew."""

    schema: str
    name: str
    file: int


@dataclass(frozen=True, slots=True, kw_only=True)
class PhysicalPlan:
    """next_transaction: the server's next transaction id when the plan was made."""

    tables: tuple[Relation, ...]
    statistics: tuple[Relation, ...]
    next_transaction: int

    def as_json(self) -> dict[str, Any]:
        return asdict(self)

    @classmethod
    def from_json(cls, value: Mapping[str, Any]) -> PhysicalPlan:
        return cls(
            tables=tuple(Relation(**each) for each in value["tables"]),
            statistics=tuple(Relation(**each) for each in value["statistics"]),
            next_transaction=value["next_transaction"],
        )


def plan_physical(tables: Collection[str], *, access: Access) -> PhysicalPlan:
    """Note how things are, after the last row was removed and before anything is written anew.

    Raises: ValueError: a table is not there.
    """
    wanted = [("public", name) for name in sorted(set(tables))] + [("pg_catalog", name) for name in _STATISTICS]
    relations: list[Relation] = []
    with access.connect() as connection:
        for schema, name in wanted:
            row = connection.execute(
                "SELECT pg_relation_filenode(to_regclass(%s))", [f'"{schema}"."{name}"']
            ).fetchone()
            if row is None or row[0] is None:
                raise ValueError(f"there is no table {schema}.{name}")
            relations.append(Relation(schema=schema, name=name, file=row[0]))
        transaction = next_transaction(connection)
    return PhysicalPlan(
        tables=tuple(each for each in relations if each.schema == "public"),
        statistics=tuple(each for each in relations if each.schema != "public"),
        next_transaction=transaction,
    )


def next_transaction(connection: psycopg.Connection[Any]) -> int:
    """The server's next transaction id."""
    row = connection.execute("SELECT pg_snapshot_xmax(pg_current_snapshot())::text::bigint").fetchone()
    if row is None:
        raise AssertionError("a function returns a row")
    return int(row[0])
