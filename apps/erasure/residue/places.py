"""Every place where something of an erased thing could still lie, and how each is read.

What can't be reached is named in `ByteSources.unreachable`: a scan says nothing about it.
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from enum import StrEnum
from functools import partial
from pathlib import Path

from apps.erasure.residue.access import BLOCK_BYTES, Access, ServerFiles, read_file, server_files
from apps.erasure.residue.redis_places import redis_places
from apps.sql_files import read_statements
from config.needs import program_environment

_SQL = read_statements(__file__)
# Ids of the catalogue's own relations are smaller; later ones are made by somebody.
FIRST_NORMAL_ID = 16_384
# Whatever is done, these stay: nobody reads them through a file system or a connection.
NEVER_REACHED = (
    "disk blocks that were returned to the operating system, and an SSD's spare blocks",
    "memory of running processes, and swap space",
    "replicas, snapshots and backups made earlier, archived WAL",
)


class Form(StrEnum):
    """How bytes lie in a place."""

    PLAIN = "plain"
    PAGES = "pages"  # of a table or an index, in which values may be compressed
    WAL = "wal"


@dataclass(frozen=True, slots=True, kw_only=True)
class ByteSource:
    """One file, key space or stream.

    Attributes: group: what results are summed up by: `heap`, `TOAST`, `index (hnsw)`, `WAL`, `Redis`, ...
                name: what it is called; free of personal data. table: of a relation's file, its table.
                catalogue: of a file of the server's catalogue, the id of the relation; else 0.
                read: its bytes, in blocks; what begins in one block may end in the next.
    """

    group: str
    name: str
    form: Form = Form.PLAIN
    table: str = ""
    catalogue: int = 0
    read: Callable[[], Iterator[bytes]] = field(repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class ByteSources:
    access: Access
    places: tuple[ByteSource, ...]
    unreachable: tuple[str, ...]


def every_place(access: Access, *, dump: bool = True) -> ByteSources:
    """All places of this installation, as they are now: to be asked for afresh before each scan."""
    unreachable = list(NEVER_REACHED)
    places: list[ByteSource] = []
    files = server_files(access)
    if files is None:
        unreachable.append("not scanned: data directory, WAL and server log of an external server")
    else:
        places.extend(_server_places(access, files))
    if not access.embedded:
        unreachable.append("not scanned: the server's log, unless it is in its data directory")
    in_folders, closed = _folder_places(access)
    places.extend(in_folders)
    if closed:
        unreachable.append(f"not scanned: {closed} files of our folders that this account may not read")
    unreachable.append("the output of the application's processes, if something other than this installation keeps it")
    found, missing = redis_places(access)
    places.extend(ByteSource(group="Redis", name=name, read=read) for name, read in found)
    unreachable.extend(missing)
    if dump and access.pg_dump:
        places.append(ByteSource(group="dump", name="pg_dump", read=lambda: dump_of(access)))
    elif dump:
        unreachable.append("not scanned: a fresh dump (pg_dump is not installed here)")
    return ByteSources(access=access, places=tuple(places), unreachable=tuple(unreachable))


@dataclass(frozen=True, slots=True)
class _Relation:
    name: str
    kind: str
    method: str
    table: str
    schema: str
    id: int


def _relations(access: Access) -> tuple[str, dict[str, _Relation]]:
    """This database's folder, and its relations by their file's path."""
    with access.connect() as connection:
        row = connection.execute("SELECT oid FROM pg_database WHERE datname = current_database()").fetchone()
        rows = connection.execute(_SQL["relations"]).fetchall()
    folder = f"base/{row[0]}/" if row else ""
    return folder, {
        path: _Relation(name, kind, method, table, schema, id) for path, name, kind, method, table, schema, id in rows
    }


def _server_places(access: Access, files: ServerFiles) -> Iterator[ByteSource]:
    folder, relations = _relations(access)
    segments: list[str] = []
    for path in sorted(files.walk()):
        parts = path.split("/")
        if parts[0] == "pg_wal" and len(parts) == 2 and len(parts[1]) == 24:
            segments.append(path)
        elif any(part.startswith("pgsql_tmp") for part in parts):
            yield ByteSource(group="temporary files", name=path, read=_reader(files, path))
        elif parts[0] in ("base", "pg_tblspc") and not path.startswith(folder):
            if access.whole_server or parts[0] == "pg_tblspc":
                yield ByteSource(group="other databases", name=path, form=Form.PAGES, read=_reader(files, path))
        elif parts[0] in ("base", "global"):
            yield _relation_place(path, relations, files)
        else:
            group = "server log" if parts[0] in ("log", "pg_log") else "other server files"
            yield ByteSource(group=group, name=path, read=_reader(files, path))
    for path, following in zip(segments, [*segments[1:], ""], strict=True):
        yield ByteSource(group="WAL", name=path, form=Form.WAL, read=_wal_reader(files, path, following))


def _relation_place(path: str, relations: dict[str, _Relation], files: ServerFiles) -> ByteSource:
    folder, _, name = path.rpartition("/")
    relation = relations.get(f"{folder}/{name.split('.')[0].split('_')[0]}")
    if relation is None:
        return ByteSource(group="files of no relation", name=path, form=Form.PAGES, read=_reader(files, path))
    if relation.schema in ("pg_catalog", "information_schema"):
        group = "pg_statistic" if relation.table.startswith("pg_statistic") else "catalogue"
    elif relation.kind == "i":
        group = f"index ({relation.method})"
    else:
        group = {"t": "TOAST", "S": "sequence"}.get(relation.kind, "heap")
    catalogue = relation.id if group in ("catalogue", "pg_statistic") and relation.id < FIRST_NORMAL_ID else 0
    shown = relation.name if relation.name == relation.table else f"{relation.name} of {relation.table}"
    return ByteSource(
        group=group,
        name=shown,
        form=Form.PAGES,
        table=relation.table,
        catalogue=catalogue,
        read=_reader(files, path),
    )


def _reader(files: ServerFiles, path: str) -> Callable[[], Iterator[bytes]]:
    return partial(files.read, path)


def _wal_reader(files: ServerFiles, path: str, following: str) -> Callable[[], Iterator[bytes]]:
    """A segment as one block, with the next one's first pages: a record may lie across the border."""

    def read() -> Iterator[bytes]:
        segment = b"".join(files.read(path))
        yield segment + (next(iter(files.read(following)), b"")[: 4 * 8192] if following else b"")

    return read


def _folder_places(access: Access) -> tuple[list[ByteSource], int]:
    """The files of our folders, and how many more there are that can't be read."""
    places: list[ByteSource] = []
    closed = 0
    for root in (access.home, *access.folders):
        for directory, folders, names in os.walk(root):
            if access.embedded and Path(directory) == access.home and "postgres" in folders:
                folders.remove("postgres")  # the server's files are places of their own
            for path in sorted(Path(directory) / name for name in names):
                if not path.is_file():
                    continue
                below = path.relative_to(root)
                group = "logs" if below.parts[0] == "log" else f"folder {root.name}"
                if os.access(path, os.R_OK):
                    places.append(ByteSource(group=group, name=str(below), read=partial(read_file, path)))
                else:
                    closed += 1
    return places, closed


def dump_of(access: Access, *, schema: str = "") -> Iterator[bytes]:
    """A dump of the database as it is made, by the role that makes backups. It is not written to any file.

    Raises: subprocess.CalledProcessError: pg_dump failed.
    """
    command = [access.pg_dump, "--no-password", *([f"--schema={schema}"] if schema else [])]
    variables = program_environment(**{name: text for name, text in access.backup_url.items() if text})
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=variables) as process:
        if process.stdout is None:
            raise AssertionError("its output is a pipe")
        while block := process.stdout.read(BLOCK_BYTES):
            yield block
        if process.wait() != 0:
            raise subprocess.CalledProcessError(process.returncode, "pg_dump")
