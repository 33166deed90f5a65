"""A log, and what somebody with every right over the database or over an export's files might do to it.

Each mutation is written once, against a Store; a store is the database (as its superuser, past every trigger) or the
files of an export. It says what must be found, exactly: not one finding less, and none beside.
"""

from __future__ import annotations

import base64
import json
import random
import shutil
import threading
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path
from typing import Any, Protocol
from uuid import UUID

from django.conf import settings
from django.db import connection, connections, transaction
from django.db.backends.postgresql.base import DatabaseWrapper
from django.utils import timezone
from psycopg.conninfo import conninfo_to_dict

from apps.audit.canonical import event_header, leaf_hash
from apps.audit.ids import new_id
from apps.audit.keys.cache import DataKeyInUse
from apps.audit.keys.data_keys import current_data_key
from apps.audit.log.epochs import origin_of
from apps.audit.log.leaves import leaf_of
from apps.audit.log.notes import Checkpoint, SigningKey, signed
from apps.audit.log.tree import root_of
from apps.audit.models import Checkpoint as StoredCheckpoint
from apps.audit.models import Event, Leaf, Payload
from apps.audit.registry import ACTOR_LABEL, Group
from apps.audit.sealing import SealBinding, Sealed, seal, unsealed
from apps.audit.services import record
from apps.audit.terms import terms_of
from apps.audit.verify.entries import EMPTIED
from apps.audit.verify.export import export_log
from apps.audit.verify.findings import VerificationReport
from apps.audit.verify.offline import Verifier
from apps.erasure.log_removal import Removal, RemovalReason, removals_execute
from apps.tenants.context import open_scope
from apps.tenants.ids import ScopeId, TenantId
from tests.audit.acting import authorised, checkpointed, sealed, signing_key
from tests.conftest import admin_dsn
from tests.factories import Firm

# A finding without its words: class, leaf, event, group, size of a checkpoint.
Key = tuple[str, int | None, str | None, str | None, int | None]
Row = dict[str, Any]
_kept = threading.local()


@contextmanager
def acting_as(role: str) -> Iterator[None]:
    """This thread's connection is that role's, with its own password; "superuser" is the server's administrator.

    It is kept for the next time without anything of this one: a new session signs in, and then reads the catalogue.
    """
    ordinary = connections["default"]
    configured = ordinary.settings_dict
    options = {name: value for name, value in configured["OPTIONS"].items() if name != "pool"}
    if role == "superuser":
        found = conninfo_to_dict(admin_dsn())
        changes: Row = {"USER": found["user"], "PASSWORD": "", "HOST": found["host"], "PORT": found.get("port", "")}
    else:
        changes = {"USER": role, "PASSWORD": settings.GLASSBOX_DB_PASSWORDS[role]}
    wanted: Row = {**configured, **changes, "OPTIONS": options}
    acting = _taken(wanted)
    connections["default"] = acting
    try:
        yield
    finally:
        connections["default"] = ordinary
        _put_back(acting)


def _taken(wanted: Row) -> DatabaseWrapper:
    """A kept session of these settings, where there is one and it still answers."""
    for kept in [each for each in _sessions() if each.settings_dict == wanted]:
        _sessions().remove(kept)
        if kept.connection is not None and kept.is_usable():
            return kept
        kept.close()
    return DatabaseWrapper(wanted, alias="default")


def _put_back(acting: DatabaseWrapper) -> None:
    if acting.connection is None or acting.in_atomic_block or not acting.is_usable():
        acting.close()
        return
    acting.cursor().execute("DISCARD ALL")
    _sessions().append(acting)


def _sessions() -> list[DatabaseWrapper]:
    """Of this thread: nobody else's connection is used."""
    if not hasattr(_kept, "sessions"):
        _kept.sessions = []
    sessions: list[DatabaseWrapper] = _kept.sessions
    return sessions


def of_application(report: VerificationReport) -> Counter[Key]:
    return Counter(
        (str(each.kind), each.index, None if each.event_id is None else str(each.event_id), each.group, each.size)
        for each in report.findings
    )


def log_keys() -> list[str]:
    """The log's public key, as somebody outside has it."""
    return [signing_key().verify_key.line()]


def of_offline(verifier: Verifier) -> Counter[Key]:
    return Counter(each.key() for each in verifier.findings)


# --- The log that is mutated ------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class Log:
    """A firm's log of `size` leaves, with three checkpoints, the last of which somebody keeps outside.

    rows: the lines of its export. removed: (leaf, group) -> the leaf that authorises its removal.
    lost: (leaf, group) -> the payload's row and what the export said of it, before it was removed.
    """

    firm: Firm
    rows: list[Row]
    sizes: list[int]
    kept: str
    removed: Mapping[tuple[int, str], int]
    lost: Mapping[tuple[int, str], tuple[Row, Row]]

    @property
    def size(self) -> int:
        return len(self.rows)

    def event(self, index: int) -> str:
        return str(self.rows[index]["event_id"])

    def scopes(self) -> list[str]:
        return sorted(str(each.id) for each in self.firm.scopes.values())

    def plain(self) -> list[int]:
        """Leaves below the last checkpoint that neither authorise a removal nor lost a group."""
        told = {index for index, _ in self.removed} | set(self.removed.values())
        return [index for index in range(self.sizes[-1]) if index not in told]


def make_log(firm: Firm, chosen: random.Random, folder: Path, *, size: int = 290) -> Log:
    """Committed, by the services, with a handful of removals that were authorised and executed."""
    sizes = [100, 200, size - 10]
    lost: dict[tuple[int, str], tuple[Row, Row]] = {}
    removed: dict[tuple[int, str], int] = {}
    for stop in sizes:
        _fill(firm, stop - 8)
        targets = _erase_some(firm, chosen, folder / f"before-{stop}", lost)
        place = _size(firm) - 1
        removed |= dict.fromkeys(targets, place)
        _fill(firm, stop)
        assert checkpointed(firm)
    _fill(firm, size)
    with open_scope(tenant=firm.id, reason="a test"):
        kept = StoredCheckpoint.objects.get(size=sizes[-1]).note
    rows = _rows(firm, folder / "whole")
    assert len(rows) == size
    return Log(firm=firm, rows=rows, sizes=sizes, kept=kept, removed=removed, lost=lost)


def _size(firm: Firm) -> int:
    with open_scope(tenant=firm.id, reason="a test"):
        return int(Leaf.objects.count())


def _fill(firm: Firm, size: int) -> None:
    """Events of four kinds, until the log has so many leaves."""
    sealed(firm)
    missing = size - _size(firm)
    with open_scope(tenant=firm.id, reason="a test"):
        for number in range(missing):
            question = {"text": f"Is claim {number} open?"} if number % 2 else None
            answer = {"grounding": f"grounded {number}"} if number % 3 else None
            record(
                action="retrieval.question.answered",
                core={"intent": "claims", "policy_version": number},
                question=question,
                answer=answer,
                scopes=[ScopeId(each.id) for each in firm.scopes.values()][: number % 3],
            )
    assert sealed(firm) == max(missing, 0)


def _rows(firm: Firm, folder: Path) -> list[Row]:
    with transaction.atomic():
        # Without the event that says that it was exported.
        export_log(tenant=firm.id, output=folder)
        transaction.set_rollback(True)
    rows = [json.loads(line) for line in (folder / "events.jsonl").read_text().splitlines()]
    shutil.rmtree(folder)
    return rows


def _erase_some(
    firm: Firm, chosen: random.Random, folder: Path, lost: dict[tuple[int, str], tuple[Row, Row]]
) -> list[tuple[int, str]]:
    rows = _rows(firm, folder)
    found = [
        (row["index"], group)
        for row in rows
        for group in row["groups"]
        if row["header"]["action"] == "retrieval.question.answered"
    ]
    targets = [*chosen.sample([each for each in found if each[1] != "actor"], 4)]
    targets += chosen.sample([each for each in found if each[1] == "actor" and each not in lost], 1)
    with open_scope(tenant=firm.id, reason="a test"):
        for index, group in targets:
            payload = Payload.objects.filter(event_id=rows[index]["event_id"], group=group).values().get()
            lost[index, group] = (payload, {**rows[index]["groups"][group], "label": rows[index]["actor_label"]})
    event = authorise(firm, [(rows[index]["event_id"], group) for index, group in targets])
    execute(firm, event)
    return targets


def authorise(firm: Firm, targets: list[tuple[str, str]]) -> UUID:
    event = authorised(firm.id, [Removal(event_id=UUID(event_id), group=Group(group)) for event_id, group in targets])
    sealed(firm)
    return UUID(str(event.id))


def execute(firm: Firm, authorising: UUID) -> None:
    with acting_as("glassbox_eraser"), open_scope(tenant=firm.id, reason="a test"):
        removals_execute(authorising_event_id=authorising)


# --- Where it is mutated ----------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class Forged:
    """An event as the application would have written it, with what its groups say, and a leaf behind the others."""

    index: int
    event: Event
    values: Mapping[str, Row]
    sealed: Mapping[str, Sealed]
    key: DataKeyInUse


def header_of(event: Event) -> Row:
    return event_header(
        tenant_id=event.tenant_id,
        event_id=event.id,
        action=event.action,
        outcome=event.outcome,
        occurred_at=event.occurred_at,
        actor_kind=event.actor_kind,
        actor_id=event.actor_id,
        subject_type=event.subject_type,
        subject_id=event.subject_id,
        scope_ids=event.scope_ids,
    )


class Store(Protocol):
    """Leaves are named by the index that they had at first, whatever becomes of it."""

    def header(self, index: int, name: str, value: Any) -> None: ...
    def commitments(self, index: int, value: Any) -> None: ...
    def label(self, index: int, text: str) -> None: ...
    def scopes(self, index: int, scopes: list[str], *, event: bool, payloads: bool) -> None: ...
    def terms(self, index: int, group: str, terms: list[str]) -> None: ...
    def damage(self, index: int, group: str) -> None: ...
    def copy(self, index: int, group: str, source: int) -> None: ...
    def drop_group(self, index: int, group: str) -> None: ...
    def put_back(self, index: int, group: str) -> None: ...
    def hash(self, index: int, hash: bytes) -> None: ...
    def drop_event(self, index: int) -> None: ...
    def drop_leaf(self, index: int, *, event_stays: bool) -> None: ...
    def move(self, places: Mapping[int, int]) -> None: ...
    def insert(self, id: UUID, source: int, place: int | None, hash: bytes) -> None: ...
    def subtree(self, hash: bytes | None) -> None: ...
    def checkpoint(self, size: int, value: tuple[bytes, str] | None) -> None: ...
    def append(self, forged: Forged) -> None: ...


@dataclass(slots=True)
class DatabaseStore:
    """Of the current connection, a superuser's, in a transaction."""

    log: Log

    def run(self, statement: str, *parameters: Any) -> None:
        with connection.cursor() as cursor:
            cursor.execute(statement, parameters)

    def header(self, index: int, name: str, value: Any) -> None:
        self.run(f"UPDATE audit_event SET {name} = %s WHERE id = %s", value, self.log.event(index))

    def commitments(self, index: int, value: Any) -> None:
        self.run("UPDATE audit_event SET commitments = %s WHERE id = %s", json.dumps(value), self.log.event(index))

    def label(self, index: int, text: str) -> None:
        self.header(index, "actor_label", text)

    def scopes(self, index: int, scopes: list[str], *, event: bool, payloads: bool) -> None:
        for table, column in [("audit_event", "id")] * event + [("audit_payload", "event_id")] * payloads:
            statement = f"UPDATE {table} SET scope_ids = %s::uuid[] WHERE {column} = %s"
            self.run(statement, scopes, self.log.event(index))

    def terms(self, index: int, group: str, terms: list[str]) -> None:
        self.run(
            "UPDATE audit_payload SET terms = %s::text[] WHERE event_id = %s AND field_group = %s",
            terms,
            self.log.event(index),
            group,
        )

    def damage(self, index: int, group: str) -> None:
        self.run(
            "UPDATE audit_payload SET ciphertext = set_byte(ciphertext, 20, get_byte(ciphertext, 20) # 1) "
            "WHERE event_id = %s AND field_group = %s",
            self.log.event(index),
            group,
        )

    def copy(self, index: int, group: str, source: int) -> None:
        self.drop_group(index, group)
        self.run(
            "INSERT INTO audit_payload (tenant_id, event_id, scope_ids, field_group, ciphertext, data_key_id, terms) "
            "SELECT p.tenant_id, e.id, e.scope_ids, %s, p.ciphertext, p.data_key_id, p.terms "
            "FROM audit_payload p, audit_event e WHERE e.id = %s AND p.event_id = %s AND p.field_group = 'core'",
            group,
            self.log.event(index),
            self.log.event(source),
        )

    def drop_group(self, index: int, group: str) -> None:
        self.run("DELETE FROM audit_payload WHERE event_id = %s AND field_group = %s", self.log.event(index), group)

    def put_back(self, index: int, group: str) -> None:
        row, _ = self.log.lost[index, group]
        self.run(
            "INSERT INTO audit_payload (tenant_id, event_id, scope_ids, field_group, ciphertext, data_key_id, terms) "
            "VALUES (%s, %s, %s::uuid[], %s, %s, %s, %s::text[])",
            *(
                row[name]
                for name in ("tenant_id", "event_id", "scope_ids", "group", "ciphertext", "data_key_id", "terms")
            ),
        )

    def hash(self, index: int, hash: bytes) -> None:
        self.run("UPDATE audit_leaf SET hash = %s WHERE event_id = %s", hash, self.log.event(index))

    def drop_event(self, index: int) -> None:
        self.run("DELETE FROM audit_payload WHERE event_id = %s", self.log.event(index))
        self.run("DELETE FROM audit_event WHERE id = %s", self.log.event(index))

    def drop_leaf(self, index: int, *, event_stays: bool) -> None:
        self.run("DELETE FROM audit_leaf WHERE event_id = %s", self.log.event(index))
        if not event_stays:
            self.drop_event(index)

    def move(self, places: Mapping[int, int]) -> None:
        ids, new = [self.log.event(index) for index in places], list(places.values())
        # Past one another: the unique constraint is asked for each row.
        for shift in (10**6, -(10**6)):
            self.run(
                "UPDATE audit_leaf l SET index = CASE WHEN %s > 0 THEN p.place ELSE l.index END + %s "
                "FROM unnest(%s::uuid[], %s::bigint[]) AS p (id, place) WHERE l.event_id = p.id",
                shift,
                shift,
                ids,
                new,
            )

    def insert(self, id: UUID, source: int, place: int | None, hash: bytes) -> None:
        columns = "scope_ids, action, outcome, occurred_at, actor_kind, actor_id, actor_label, subject_type, subject_id"
        self.run(
            f"INSERT INTO audit_event (id, tenant_id, commitments, {columns}) "
            f"SELECT %s, tenant_id, '{{}}', {columns} FROM audit_event WHERE id = %s",
            id,
            self.log.event(source),
        )
        if place is not None:
            self.run(
                "INSERT INTO audit_leaf (tenant_id, event_id, index, hash) VALUES (%s, %s, %s, %s)",
                self.log.firm.id,
                id,
                place,
                hash,
            )

    def append(self, forged: Forged) -> None:
        event = forged.event
        columns = [field for field in event._meta.concrete_fields if field.name != "commitments"]
        self.run(
            f"INSERT INTO audit_event (commitments, {', '.join(field.column for field in columns)}) "
            f"VALUES (%s, {', '.join(['%s'] * len(columns))})",
            json.dumps(event.commitments),
            *(getattr(event, field.attname) for field in columns),
        )
        self.run(
            "INSERT INTO audit_leaf (tenant_id, event_id, index, hash) VALUES (%s, %s, %s, %s)",
            event.tenant_id,
            event.id,
            forged.index,
            leaf_of(event),
        )
        for group, each in forged.sealed.items():
            self.run(
                "INSERT INTO audit_payload (tenant_id, event_id, scope_ids, field_group, ciphertext, data_key_id, "
                "terms) VALUES (%s, %s, %s::uuid[], %s, %s, %s, %s::text[])",
                event.tenant_id,
                event.id,
                event.scope_ids,
                group,
                each.ciphertext,
                forged.key.id,
                terms_of(group, forged.values[group]),
            )

    def subtree(self, hash: bytes | None) -> None:
        if hash is None:
            self.run("DELETE FROM audit_subtree WHERE tenant_id = %s", self.log.firm.id)
        else:
            self.run("UPDATE audit_subtree SET hash = %s WHERE tenant_id = %s", hash, self.log.firm.id)

    def checkpoint(self, size: int, value: tuple[bytes, str] | None) -> None:
        if value is None:
            self.run("DELETE FROM audit_checkpoint WHERE tenant_id = %s AND size = %s", self.log.firm.id, size)
        else:
            self.run(
                "UPDATE audit_checkpoint SET root = %s, note = %s WHERE tenant_id = %s AND size = %s",
                *value,
                self.log.firm.id,
                size,
            )


@dataclass(slots=True)
class ExportStore:
    """The files of an export: read from one folder, written to another."""

    log: Log
    rows: dict[int, Row]
    checkpoints: dict[int, Row]
    subtrees: list[Row]
    unsealed: list[Row]
    added: list[Row] = field(default_factory=list)

    @classmethod
    def read(cls, log: Log, folder: Path) -> ExportStore:
        def lines(name: str) -> list[Row]:
            return [json.loads(line) for line in (folder / name).read_text().splitlines()]

        return cls(
            log=log,
            rows={row["index"]: row for row in lines("events.jsonl")},
            checkpoints={row["size"]: row for row in lines("checkpoints.jsonl")},
            subtrees=lines("subtrees.jsonl"),
            unsealed=lines("unsealed.jsonl"),
        )

    def write(self, source: Path, folder: Path) -> None:
        def lines(name: str, rows: list[Row]) -> None:
            text = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
            (folder / name).write_text(text, encoding="utf-8")

        folder.mkdir()
        manifest = json.loads((source / "manifest.json").read_text())
        # Whoever writes the files writes the count that fits.
        manifest["size"] = max((int(row["index"]) for row in [*self.rows.values(), *self.added]), default=-1) + 1
        (folder / "manifest.json").write_text(json.dumps(manifest))
        lines("events.jsonl", sorted([*self.rows.values(), *self.added], key=lambda row: int(row["index"])))
        lines("checkpoints.jsonl", list(self.checkpoints.values()))
        lines("subtrees.jsonl", self.subtrees)
        lines("unsealed.jsonl", self.unsealed)

    def header(self, index: int, name: str, value: Any) -> None:
        self.rows[index]["header"][name] = value

    def commitments(self, index: int, value: Any) -> None:
        self.rows[index]["commitments"] = value

    def label(self, index: int, text: str) -> None:
        self.rows[index]["actor_label"] = text

    def scopes(self, index: int, scopes: list[str], *, event: bool, payloads: bool) -> None:
        row = self.rows[index]
        if event != payloads:
            told = scopes if payloads else row["header"]["scope_ids"]
            row["other_scopes"] = dict.fromkeys(row["groups"], told)
        if event:
            row["header"]["scope_ids"] = scopes

    def terms(self, index: int, group: str, terms: list[str]) -> None:
        self.rows[index]["groups"][group]["terms"] = terms

    def damage(self, index: int, group: str) -> None:
        found = self.rows[index]["groups"][group]
        found["content"] = found["content"].replace("}", " }", 1)

    def copy(self, index: int, group: str, source: int) -> None:
        self.rows[index]["groups"][group] = self.rows[source]["groups"]["core"]

    def drop_group(self, index: int, group: str) -> None:
        del self.rows[index]["groups"][group]

    def put_back(self, index: int, group: str) -> None:
        found = self.log.lost[index, group][1]
        self.rows[index]["groups"][group] = {name: each for name, each in found.items() if name != "label"}

    def hash(self, index: int, hash: bytes) -> None:
        self.rows[index]["leaf"] = hash.hex()

    def drop_event(self, index: int) -> None:
        self.rows[index] |= {"header": None, "commitments": None, "actor_label": "", "groups": {}}

    def drop_leaf(self, index: int, *, event_stays: bool) -> None:
        row = self.rows.pop(index)
        if event_stays:
            self._stray(row["event_id"], row["header"]["occurred_at"])

    def move(self, places: Mapping[int, int]) -> None:
        for index, place in places.items():
            self.rows[index]["index"] = place

    def insert(self, id: UUID, source: int, place: int | None, hash: bytes) -> None:
        header = {**self.rows[source]["header"], "id": str(id)}
        if place is None:
            self._stray(str(id), header["occurred_at"])
            return
        row = {"index": place, "leaf": hash.hex(), "event_id": str(id), "header": header}
        self.added.append(row | {"commitments": {}, "actor_label": "x", "groups": {}})

    def append(self, forged: Forged) -> None:
        event, groups = forged.event, {}
        for group, each in forged.sealed.items():
            place = SealBinding(tenant_id=event.tenant_id, event_id=event.id, group=group)
            salt, content = unsealed(each.ciphertext, place=place, key=forged.key.key)
            terms = terms_of(group, forged.values[group])
            groups[group] = {"salt": salt.hex(), "content": content.decode(), "terms": terms}
        row = {"index": forged.index, "leaf": leaf_of(event).hex(), "event_id": str(event.id)}
        row |= {"header": header_of(event), "commitments": event.commitments}
        self.added.append(row | {"actor_label": event.actor_label, "groups": groups})

    def subtree(self, hash: bytes | None) -> None:
        self.subtrees = [] if hash is None else [{**row, "hash": hash.hex()} for row in self.subtrees]

    def checkpoint(self, size: int, value: tuple[bytes, str] | None) -> None:
        if value is None:
            del self.checkpoints[size]
        else:
            self.checkpoints[size] |= {"root": value[0].hex(), "note": value[1]}

    def _stray(self, event_id: str, occurred_at: str) -> None:
        self.unsealed.append({"event_id": event_id, "occurred_at": occurred_at, "waits": False})


# --- The mutations ----------------------------------------------------------------------------------------------------

Apply = Callable[[Store], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Mutation:
    """expected: every finding that both must have, and no other."""

    name: str
    apply: Apply
    expected: frozenset[Key]


class Making:
    """Makes seeded mutations of one log."""

    def __init__(self, log: Log, chosen: random.Random) -> None:
        self.log, self.chosen = log, chosen
        self.end = log.sizes[-1]
        kinds = [name for name in dir(self) if name.startswith("make_")]
        self.kinds = sorted(kinds)

    def mutation(self, number: int) -> Mutation:
        name = self.kinds[number % len(self.kinds)]
        apply, expected = getattr(self, name)()
        return Mutation(name=f"{number} {name.removeprefix('make_')}", apply=apply, expected=frozenset(expected))

    # What must be found, put together.

    def at(self, kind: str, index: int, group: str | None = None) -> Key:
        return (kind, index, self.log.event(index), group, None)

    def orphans(self, *indices: int, within: range | None = None) -> set[Key]:
        """Removals whose authorisation does not count any more, of leaves that are still there."""
        there = within or range(self.log.size)
        return {
            self.at("UNAUTHORISED_REMOVAL", index, group)
            for (index, group), place in self.log.removed.items()
            if place in indices and index in there and index not in indices
        }

    def structure(self, place: int) -> set[Key]:
        """Every tree that has this place has another root."""
        found: set[Key] = {("INCONSISTENT", None, None, None, size) for size in self.log.sizes if size > place}
        return found | ({("WRONG_SUBTREE", 0, None, None, None)} if place < 256 else set())

    def any(self) -> int:
        return self.chosen.randrange(self.end)

    def present(self, group: str = "") -> tuple[int, str]:
        return self.chosen.choice(
            [
                (index, name)
                for index in range(self.end)
                for name in self.log.rows[index]["groups"]
                if not group or name == group
            ]
        )

    def core_lost(self, index: int, group: str) -> set[Key]:
        return self.orphans(index) if group == "core" else set()

    # Events and groups.

    def make_edit(self) -> tuple[Apply, set[Key]]:
        index = self.any()
        name, value = self.chosen.choice(
            [
                ("action", "retrieval.question.asked"),
                ("outcome", "failed"),
                ("occurred_at", "2020-01-01T00:00:00Z"),
                ("actor_kind", "user"),
                ("actor_id", str(new_id())),
                ("subject_type", "document"),
                ("subject_id", str(new_id())),
            ]
        )
        return lambda store: store.header(index, name, value), {
            self.at("ALTERED_EVENT", index),
            *self.orphans(index),
        }

    def make_altered_commitment(self) -> tuple[Apply, set[Key]]:
        index, group = self.present()
        commitments = dict(self.log.rows[index]["commitments"])
        commitments[group] = self.chosen.randbytes(32).hex()
        found = {self.at("ALTERED_EVENT", index), self.at("ALTERED_GROUP", index, group), *self.orphans(index)}
        return lambda store: store.commitments(index, commitments), found

    def make_added_commitment(self) -> tuple[Apply, set[Key]]:
        index = self.any()
        commitments = {**self.log.rows[index]["commitments"], "passages": "ab" * 32}
        found = {
            self.at("ALTERED_EVENT", index),
            self.at("UNAUTHORISED_REMOVAL", index, "passages"),
            *self.orphans(index),
        }
        return lambda store: store.commitments(index, commitments), found

    def make_dropped_commitment(self) -> tuple[Apply, set[Key]]:
        index, group = self.present()
        commitments = {name: each for name, each in self.log.rows[index]["commitments"].items() if name != group}
        found = {self.at("ALTERED_EVENT", index), self.at("UNKNOWN_GROUP", index, group), *self.orphans(index)}
        return lambda store: store.commitments(index, commitments), found

    def make_no_commitments(self) -> tuple[Apply, set[Key]]:
        index = self.any()
        value = self.chosen.choice([[], "none", {}, 5, {"core": 7}])
        groups = self.log.rows[index]["groups"]
        found = {self.at("ALTERED_EVENT", index), *self.orphans(index)}
        found |= {self.at("UNKNOWN_GROUP", index, group) for group in groups}
        return lambda store: store.commitments(index, value), found

    def make_altered_scopes(self) -> tuple[Apply, set[Key]]:
        """Of an event, of its parts, or of both: fewer, so that more people read it, more, or others."""
        index = self.chosen.choice(self.log.plain())
        now, every = self.log.rows[index]["header"]["scope_ids"], self.log.scopes()
        scopes = self.chosen.choice([each for each in ([], every[:1], every[1:2], every) if each != now])
        event, payloads = self.chosen.choice([(True, True), (True, False), (False, True)])
        found = {self.at("ALTERED_SCOPES", index)} if event else set()
        if event != payloads:
            found |= {self.at("ALTERED_SCOPES", index, group) for group in self.log.rows[index]["groups"]}
        return lambda store: store.scopes(index, scopes, event=event, payloads=payloads), found

    def make_altered_terms(self) -> tuple[Apply, set[Key]]:
        rows, group = self.log.rows[: self.end], "core"
        index = self.chosen.choice([row["index"] for row in rows if row["groups"].get(group, {}).get("terms")])
        now = self.log.rows[index]["groups"][group]["terms"]
        other = self.chosen.choice([[], now[1:], [*now, "intent:other"], ["removal:x:core", *now]])
        return lambda store: store.terms(index, group, other), {self.at("ALTERED_TERMS", index, group)}

    def make_altered_payload(self) -> tuple[Apply, set[Key]]:
        index, group = self.present()
        found = {self.at("ALTERED_GROUP", index, group), *self.core_lost(index, group)}
        return lambda store: store.damage(index, group), found

    def make_payload_of_another(self) -> tuple[Apply, set[Key]]:
        index, group = self.present()
        source = self.chosen.choice([each for each in self.log.plain() if each != index])
        found = {self.at("ALTERED_GROUP", index, group), *self.core_lost(index, group)}
        return lambda store: store.copy(index, group, source), found

    def make_removed_group(self) -> tuple[Apply, set[Key]]:
        index, group = self.present()
        found = {self.at("UNAUTHORISED_REMOVAL", index, group), *self.core_lost(index, group)}
        return lambda store: store.drop_group(index, group), found

    def make_resurrected_group(self) -> tuple[Apply, set[Key]]:
        index, group = self.chosen.choice(sorted(self.log.removed))
        label = self.log.lost[index, group][1]["label"]

        def apply(store: Store) -> None:
            store.put_back(index, group)
            if group == "actor":
                store.label(index, label)

        return apply, {self.at("INCOMPLETE_ERASURE", index, group)}

    def make_resurrected_name(self) -> tuple[Apply, set[Key]]:
        index, group = self.chosen.choice([each for each in sorted(self.log.removed) if each[1] == "actor"])
        return lambda store: store.label(index, "Alice"), {self.at("INCOMPLETE_ERASURE", index, group)}

    def make_unknown_group(self) -> tuple[Apply, set[Key]]:
        index, source = self.any(), self.chosen.choice(self.log.plain())
        return lambda store: store.copy(index, "passages", source), {self.at("UNKNOWN_GROUP", index, "passages")}

    def make_renamed_actor(self) -> tuple[Apply, set[Key]]:
        index, group = self.present("actor")
        return lambda store: store.label(index, "Mallory"), {self.at("ALTERED_GROUP", index, group)}

    # The log.

    def make_deleted_event(self) -> tuple[Apply, set[Key]]:
        index = self.any()
        return lambda store: store.drop_event(index), {self.at("MISSING_EVENT", index), *self.orphans(index)}

    def make_deleted_leaf(self) -> tuple[Apply, set[Key]]:
        index = self.any()
        found: set[Key] = {("MISSING_LEAF", index, None, None, None)}
        found |= {("UNSEALED", None, self.log.event(index), None, None), *self.orphans(index)}
        return lambda store: store.drop_leaf(index, event_stays=True), found

    def make_deleted(self) -> tuple[Apply, set[Key]]:
        index = self.any()
        found: set[Key] = {("MISSING_LEAF", index, None, None, None), *self.orphans(index)}
        return lambda store: store.drop_leaf(index, event_stays=False), found

    def make_deleted_and_closed(self) -> tuple[Apply, set[Key]]:
        index = self.any()

        def apply(store: Store) -> None:
            store.drop_leaf(index, event_stays=False)
            store.move({each: each - 1 for each in range(index + 1, self.log.size)})

        return apply, self.structure(index) | self.orphans(index)

    def make_inserted(self) -> tuple[Apply, set[Key]]:
        index, source, id = self.any(), self.chosen.choice(self.log.plain()), new_id()
        hash = leaf_hash({**self.log.rows[source]["header"], "id": str(id)}, {})

        def apply(store: Store) -> None:
            store.move({each: each + 1 for each in range(index, self.log.size)})
            store.insert(id, source, index, hash)

        return apply, self.structure(index) | {("UNVOUCHED_EVENT", index, str(id), None, None)}

    def make_stray_event(self) -> tuple[Apply, set[Key]]:
        source, id = self.chosen.choice(self.log.plain()), new_id()
        return lambda store: store.insert(id, source, None, b""), {("UNSEALED", None, str(id), None, None)}

    def make_swapped(self) -> tuple[Apply, set[Key]]:
        one, two = sorted(self.chosen.sample(self.log.plain(), 2))
        return lambda store: store.move({one: two, two: one}), self.structure(one)

    def make_swapped_hashes(self) -> tuple[Apply, set[Key]]:
        one, two = sorted(self.chosen.sample(self.log.plain(), 2))
        hashes = [bytes.fromhex(self.log.rows[index]["leaf"]) for index in (one, two)]

        def apply(store: Store) -> None:
            store.hash(one, hashes[1])
            store.hash(two, hashes[0])

        return apply, {self.at("ALTERED_EVENT", one), self.at("ALTERED_EVENT", two), *self.structure(one)}

    def make_altered_leaf(self) -> tuple[Apply, set[Key]]:
        index, hash = self.any(), self.chosen.randbytes(32)
        found = {self.at("ALTERED_EVENT", index), *self.structure(index), *self.orphans(index)}
        return lambda store: store.hash(index, hash), found

    def make_event_and_leaf_edited(self) -> tuple[Apply, set[Key]]:
        """By somebody who can compute a leaf."""
        index = self.chosen.choice(self.log.plain())
        hash = leaf_hash({**self.log.rows[index]["header"], "outcome": "failed"}, self.log.rows[index]["commitments"])

        def apply(store: Store) -> None:
            store.header(index, "outcome", "failed")
            store.hash(index, hash)

        return apply, self.structure(index)

    def make_tail_cut(self) -> tuple[Apply, set[Key]]:
        place = self.any()
        return lambda store: self._cut(store, place), self._cut_found(place, tidied=False)

    def make_tail_cut_and_tidied(self) -> tuple[Apply, set[Key]]:
        place = self.any()
        return lambda store: self._cut(store, place, tidy=True), self._cut_found(place, tidied=True)

    def make_all_cut(self) -> tuple[Apply, set[Key]]:
        tidied = self.chosen.random() < 0.5
        return lambda store: self._cut(store, 0, tidy=tidied), self._cut_found(0, tidied=tidied)

    def _cut(self, store: Store, place: int, *, tidy: bool = False) -> None:
        for index in range(place, self.log.size):
            store.drop_leaf(index, event_stays=False)
        if tidy:
            if place < 256:
                store.subtree(None)
            for size in self.log.sizes:
                if size > place:
                    store.checkpoint(size, None)

    def _cut_found(self, place: int, *, tidied: bool) -> set[Key]:
        sizes = [self.end] if tidied else [size for size in self.log.sizes if size > place]
        found: set[Key] = {("TRUNCATED", None, None, None, size) for size in sizes}
        if not tidied and place < 256:
            found.add(("WRONG_SUBTREE", 0, None, None, None))
        return found | self.orphans(*range(place, self.log.size))

    def make_head_cut(self) -> tuple[Apply, set[Key]]:
        place = 1 + self.any()

        def apply(store: Store) -> None:
            for index in range(place):
                store.drop_leaf(index, event_stays=False)

        return apply, {("MISSING_LEAF", 0, None, None, None), *self.orphans(*range(place))}

    def make_head_cut_and_closed(self) -> tuple[Apply, set[Key]]:
        place = 1 + self.any()

        def apply(store: Store) -> None:
            for index in range(place):
                store.drop_leaf(index, event_stays=False)
            store.move({index: index - place for index in range(place, self.log.size)})

        left = self.log.size - place
        found: set[Key] = {
            ("TRUNCATED" if size > left else "INCONSISTENT", None, None, None, size) for size in self.log.sizes
        }
        return apply, found | {("WRONG_SUBTREE", 0, None, None, None)}

    def make_resigned_suffix(self) -> tuple[Apply, set[Key]]:
        """By somebody with the signing key: all fits together, and does not fit what was kept outside."""
        index = self.chosen.choice(self.log.plain())
        hashes = [bytes.fromhex(row["leaf"]) for row in self.log.rows]
        hashes[index] = leaf_hash(
            {**self.log.rows[index]["header"], "outcome": "degraded"}, self.log.rows[index]["commitments"]
        )

        def apply(store: Store) -> None:
            store.header(index, "outcome", "degraded")
            store.hash(index, hashes[index])
            if index < 256:
                store.subtree(root_of(hashes[:256]))
            for size in self.log.sizes:
                if size > index:
                    store.checkpoint(size, self._signed(size, root_of(hashes[:size])))

        return apply, {("INCONSISTENT", None, None, None, self.end)}

    def _signed(self, size: int, root: bytes, key: SigningKey | None = None, origin: str = "") -> tuple[bytes, str]:
        state = Checkpoint(origin=origin or origin_of(self.log.firm.id), size=size, root=root)
        return root, signed(state, key or signing_key())

    # Behind the last checkpoint, where nobody has signed.

    def make_forged_erasure(self) -> tuple[Apply, set[Key]]:
        """An event that names parts, and they are gone."""
        there = [(index, group) for index in range(self.end) for group in self.log.rows[index]["groups"]]
        gone = sorted(self.chosen.sample(there, self.chosen.randint(1, 12)))
        named = [{"event_id": self.log.event(index), "group": group} for index, group in gone]
        core = {"removals": named, "reason_code": str(RemovalReason.ERASURE_REQUEST)}
        return self._forged("audit.payload.erased", core, gone)

    def make_forged_emptying(self) -> tuple[Apply, set[Key]]:
        """An event that empties the log but for some parts, and all of the others are gone."""
        there = [(index, group) for index in range(self.end) for group in self.log.rows[index]["groups"]]
        gone = sorted(self.chosen.sample(there, len(there) // 2)) if self.chosen.random() < 0.5 else there
        kept = [place for place in self._all_places() if place not in set(gone)]
        named = [{"event_id": self.log.event(index), "group": group} for index, group in kept]
        return self._forged(EMPTIED, {"kept": named}, gone)

    def _all_places(self) -> list[tuple[int, str]]:
        return [(index, group) for index in range(self.log.size) for group in self.log.rows[index]["groups"]]

    def _forged(self, action: str, core: Row, gone: list[tuple[int, str]]) -> tuple[Apply, set[Key]]:
        """What the log's own authorisations allowed that went along, the forged one allows, or nothing does."""
        forged = forge(self.log, action, core)

        def apply(store: Store) -> None:
            for index, group in gone:
                store.drop_group(index, group)
            store.append(forged)

        authorising = set(self.log.removed.values())
        lost = self.orphans(*(index for index, group in gone if group == "core" and index in authorising))
        found = {self.at("UNSIGNED_REMOVAL", index, group) for index, group in gone}
        if action == EMPTIED:
            found |= {("UNSIGNED_REMOVAL", *key[1:]) for key in lost}
        else:
            found |= lost
        return apply, found

    def make_unsigned_tail(self) -> tuple[Apply, set[Key]]:
        """An event like any other that has no checkpoint yet: nothing is wrong."""
        forged = forge(self.log, "retrieval.question.answered", {"intent": "claims"})
        return lambda store: store.append(forged), set()

    def make_old_tail(self) -> tuple[Apply, set[Key]]:
        """One that should have had a checkpoint long ago."""
        forged = forge(self.log, "retrieval.question.answered", {"intent": "claims"}, age=timedelta(hours=2))
        return lambda store: store.append(forged), {("UNSIGNED_TAIL", self.end, None, None, None)}

    def make_subtree(self) -> tuple[Apply, set[Key]]:
        hash = self.chosen.choice([None, self.chosen.randbytes(32)])
        return lambda store: store.subtree(hash), {("WRONG_SUBTREE", 0, None, None, None)}

    def make_checkpoint_unsigned(self) -> tuple[Apply, set[Key]]:
        """Signed by nobody who may, with a signature that does not fit, or saying something else than is stored."""
        size = self.chosen.choice(self.log.sizes)
        root = root_of(bytes.fromhex(row["leaf"]) for row in self.log.rows[:size])
        other = SigningKey(name=signing_key().name, seed=self.chosen.randbytes(32))
        right = self._signed(size, root)[1]
        text, line = right.rsplit(" ", 1)
        raw = bytearray(base64.b64decode(line))
        raw[self.chosen.randrange(4, 68)] ^= 1
        value = self.chosen.choice(
            [
                self._signed(size, root, other),
                (root, f"{text} {base64.b64encode(bytes(raw)).decode()}\n"),
                (self.chosen.randbytes(32), right),
                (root, self._signed(size - 1, root)[1]),
                (root, "no note at all"),
            ]
        )
        return lambda store: store.checkpoint(size, value), {("INVALID_CHECKPOINT", None, None, None, size)}

    def make_checkpoint_of_another_tree(self) -> tuple[Apply, set[Key]]:
        size = self.chosen.choice(self.log.sizes)
        value = self._signed(size, self.chosen.randbytes(32))
        return lambda store: store.checkpoint(size, value), {("INCONSISTENT", None, None, None, size)}

    def make_checkpoint_of_another_log(self) -> tuple[Apply, set[Key]]:
        size = self.chosen.choice(self.log.sizes)
        root = root_of(bytes.fromhex(row["leaf"]) for row in self.log.rows[:size])
        value = self._signed(size, root, origin=origin_of(TenantId(new_id())))
        return lambda store: store.checkpoint(size, value), {("FOREIGN_CHECKPOINT", None, None, None, size)}


def forge(log: Log, action: str, core: Row, *, age: timedelta = timedelta()) -> Forged:
    """Args: age: since it is said to have been recorded."""
    with open_scope(tenant=log.firm.id, reason="a test"):
        moment = timezone.now()
        event = Event(
            id=new_id(),
            tenant_id=log.firm.id,
            scope_ids=[],
            action=action,
            outcome="success",
            occurred_at=moment - age,
            actor_kind="system",
            actor_label="system: a test",
            subject_type="",
        )
        key = current_data_key(log.firm.id, moment)
    values = {"core": core, "actor": {ACTOR_LABEL: event.actor_label}}
    sealed = {
        group: seal(each, place=SealBinding(tenant_id=log.firm.id, event_id=event.id, group=group), key=key.key)
        for group, each in values.items()
    }
    event.commitments = {group: each.commitment.hex() for group, each in sealed.items()}
    return Forged(index=log.size, event=event, values=values, sealed=sealed, key=key)


@contextmanager
def mutated() -> Iterator[None]:
    """A transaction of a superuser's, past triggers and keys, that is rolled back. Call `as_api` before reading."""
    with transaction.atomic():
        with connection.cursor() as cursor:
            cursor.execute("SET LOCAL session_replication_role = replica")
        yield
        transaction.set_rollback(True)


def as_api() -> None:
    with connection.cursor() as cursor:
        cursor.execute("SET LOCAL ROLE glassbox_api")
