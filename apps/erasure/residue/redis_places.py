"""Redis: every key of ours with all that is in it, and the files that it writes, where it writes any."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import redis

from apps.erasure.residue.access import Access, read_file

Reader = Callable[[], Iterator[bytes]]
_KEYS_AT_ONCE = 1_000
_WRITE_TIMEOUT_S = 600.0
_POLL_S = 0.1


def redis_places(access: Access) -> tuple[list[tuple[str, Reader]], list[str]]:
    """Name and reader of each place, and what is out of reach."""
    places: list[tuple[str, Reader]] = []
    unreachable: list[str] = []
    files: dict[str, Reader] = {}
    for url in access.redis_urls:
        with redis.Redis.from_url(url) as client:
            number = client.connection_pool.connection_kwargs.get("db", 0)
            places.append((f"database {number}", _key_reader(url, access.redis_match)))
            found, problem = _files(client)
            files |= found
            if problem and problem not in unreachable:
                unreachable.append(problem)
    return [*places, *files.items()], unreachable


def keeps_files(client: redis.Redis) -> dict[str, str] | None:
    """Redis's settings about what it writes to the disk; None where it does not tell."""
    try:
        told: dict[str, str] = {}
        for name in ("save", "appendonly", "dir", "dbfilename", "append*name"):  # several at once only since Redis 7
            answer: Any = client.config_get(name)
            told |= answer
    except redis.ResponseError:
        return None
    return told


def _files(client: redis.Redis) -> tuple[dict[str, Reader], str]:
    told = keeps_files(client)
    if told is None:
        return {}, "not scanned: files of a Redis that does not say where they are"
    folder = Path(told["dir"])
    names = [told["dbfilename"]] if told.get("save") else []
    if told.get("appendonly") == "yes":
        names += [told.get("appendfilename", ""), told.get("appenddirname", "")]
    if not names:
        return {}, ""
    paths = [path for name in names if name for path in [folder / name, *(folder / name).glob("*")] if path.is_file()]
    if not paths:
        return {}, "not scanned: files of a Redis on another machine"
    # What Redis compresses in them is not read: the physical phase has them written anew, from keys that were scanned.
    return {path.name: partial(read_file, path) for path in paths}, ""


def _key_reader(url: str, match: str) -> Reader:
    def read() -> Iterator[bytes]:
        with redis.Redis.from_url(url) as client:
            for key in client.scan_iter(match=match, count=_KEYS_AT_ONCE):
                yield b"\n".join([key, *_values(client, key), b""])

    return read


def _values(client: Any, key: bytes) -> Iterator[bytes]:
    """All that a key holds; DUMP would give it compressed."""
    kind = client.type(key)
    if kind == b"string":
        yield client.get(key) or b""
    elif kind == b"list":
        yield from client.lrange(key, 0, -1)
    elif kind == b"set":
        yield from client.sscan_iter(key)
    elif kind == b"zset":
        for member, _ in client.zscan_iter(key):
            yield member
    elif kind == b"hash":
        for name, value in client.hscan_iter(key):
            yield from (name, value)
    elif kind == b"stream":
        for _, fields in client.xrange(key):
            for name, value in fields.items():
                yield from (name, value)


def rewrite_files(urls: tuple[str, ...]) -> str:
    """Have each Redis that keeps files write them anew from what it holds now. Returns: what stands in the way."""
    problems: list[str] = []
    for url in urls:
        with redis.Redis.from_url(url) as client:
            told = keeps_files(client)
            if told is None:
                problems.append("a Redis does not say whether it keeps files")
                continue
            if told.get("appendonly") == "yes" and not _written(client, "aof", client.bgrewriteaof):
                problems.append("Redis could not rewrite its append-only file")
            if told.get("save") and not _written(client, "rdb", client.bgsave):
                problems.append("Redis could not rewrite its dump file")
    return "; ".join(dict.fromkeys(problems))


def _written(client: Any, file: str, start: Callable[[], object]) -> bool:
    """Start writing, and wait for its end."""
    running = {"aof": "aof_rewrite_in_progress", "rdb": "rdb_bgsave_in_progress"}[file]
    outcome = {"aof": "aof_last_bgrewrite_status", "rdb": "rdb_last_bgsave_status"}[file]
    deadline = time.monotonic() + _WRITE_TIMEOUT_S

    def wait() -> bool:
        while client.info("persistence")[running] and time.monotonic() < deadline:
            time.sleep(_POLL_S)
        return time.monotonic() < deadline

    # One that is under way began before this moment, and does not count.
    if not wait():
        return False
    start()
    time.sleep(_POLL_S)
    return wait() and client.info("persistence")[outcome] == "ok"
