#!/usr/bin/env python3
"""Verify an export of a Glassbox audit log. One file, the standard library alone, Python 3.9 or later.

    python verify_log.py EXPORT --checkpoint FILE [--key NAME+MARK+KEY] [--json]

EXPORT is the directory or the .zip that `manage.py audit export` wrote. FILE is a checkpoint of this log (a signed
note) that you kept from before, or got from somebody whom the log's operator can't reach: without one, a log that was
cut off at its end, or written anew as a whole, looks whole. KEY is the log's public key as you got it apart from the
export; without it the keys that the export names are believed. Both belong to the proof, not to the export.

Ends with 0: intact; 1: something is wrong, each finding with its class; 2: it could not be checked.

The program computes everything anew: commitments (HMAC-SHA256), leaves and roots (RFC 6962), signatures (Ed25519,
RFC 8032). That an earlier checkpoint begins the log is found by computing the root over so many of its leaves.

What the classes mean:
    ALTERED_EVENT         the event is not the one whose leaf was sealed
    MISSING_EVENT         there is a leaf, and its event is gone
    MISSING_LEAF          leaves are missing between others, or before the first
    EXTRA_LEAF            a place in the log is taken twice
    UNSEALED              an event has no leaf, though it should have had one by then
    WRONG_SUBTREE         a stored root of a whole subtree is wrong, missing, or of leaves that are not there
    TRUNCATED             the log is shorter than a checkpoint
    INCONSISTENT          the log does not begin with the tree of a checkpoint: it was written anew, or reordered
    INVALID_CHECKPOINT    a checkpoint of the log is not signed by a known key, or is not what was signed
    FOREIGN_CHECKPOINT    a checkpoint is of another log
    ALTERED_GROUP         a field group is there and is not what was recorded
    UNKNOWN_GROUP         a field group is there that the event was written without
    UNAUTHORISED_REMOVAL  a field group is gone, and no later sealed event authorises that
    INCOMPLETE_ERASURE    a removal was authorised, and what was to be removed is still there
    MALFORMED             a line of the export can't be read
"""

from __future__ import annotations

import argparse
import base64
import binascii
import contextlib
import hashlib
import hmac
import io
import json
import re
import sys
import zipfile
from collections.abc import Iterator, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any, NamedTuple

FORMAT = "glassbox.audit.export.v1"
COMMITMENT_DOMAIN = b"glassbox.audit.commitment.v1"
# Actions whose core says which groups are removed: those that it names, or all before it but those that it names.
EMPTIED = "audit.log.emptied"
AUTHORISING = ("audit.payload.erased", EMPTIED)
# An event that waits is sealed within seconds; one that has waited so long is not waiting.
SEALED_WITHIN_S = 300
SHOWN = 50

_HEX = re.compile(r"[0-9a-f]{64}")
_SIZE = re.compile(r"0|[1-9][0-9]{0,18}")


class UnusableError(Exception):
    """What was given can't be checked at all."""


class Finding(NamedTuple):
    """kind: a class. leaf: its index. size: of a checkpoint, in leaves."""

    kind: str
    words: str
    leaf: int | None = None
    event: str | None = None
    group: str | None = None
    size: int | None = None

    def key(self) -> tuple[str, int | None, str | None, str | None, int | None]:
        """What is compared with the application's finding: everything but the words."""
        return (self.kind, self.leaf, self.event, self.group, self.size)

    def line(self) -> str:
        places = [
            name + " " + str(value)
            for name, value in (
                ("leaf", self.leaf),
                ("event", self.event),
                ("group", self.group),
                ("checkpoint of", self.size),
            )
            if value is not None
        ]
        return f"{self.kind:<22}{', '.join(places)}: {self.words}"


class Checkpoint(NamedTuple):
    origin: str
    size: int
    root: bytes


class Key(NamedTuple):
    name: str
    mark: bytes
    public: bytes


# --- Ed25519 (RFC 8032, section 5.1) ----------------------------------------------------------------------------------

_P = 2**255 - 19
_L = 2**252 + 27742317777372353535851937790883648493
_D = -121665 * pow(121666, _P - 2, _P) % _P
_ROOT = pow(2, (_P - 1) // 4, _P)
_Point = tuple[int, int, int, int]  # extended: x = X/Z, y = Y/Z, xy = T/Z
_NEUTRAL: _Point = (0, 1, 1, 0)


def _add(p: _Point, q: _Point) -> _Point:
    a = (p[1] - p[0]) * (q[1] - q[0]) % _P
    b = (p[1] + p[0]) * (q[1] + q[0]) % _P
    c = 2 * p[3] * q[3] * _D % _P
    d = 2 * p[2] * q[2] % _P
    e, f, g, h = b - a, d - c, d + c, b + a
    return (e * f % _P, g * h % _P, f * g % _P, e * h % _P)


def _doubled(p: _Point) -> _Point:
    a, b = p[0] * p[0] % _P, p[1] * p[1] % _P
    h = a + b
    e = h - (p[0] + p[1]) * (p[0] + p[1])
    g = a - b
    f = 2 * p[2] * p[2] + g
    return (e * f % _P, g * h % _P, f * g % _P, e * h % _P)


def _decoded(raw: bytes) -> _Point | None:
    value = int.from_bytes(raw, "little")
    sign, y = value >> 255, value & ((1 << 255) - 1)
    if y >= _P:
        return None
    square = (y * y - 1) * pow(_D * y * y + 1, _P - 2, _P) % _P
    x = pow(square, (_P + 3) // 8, _P)
    if (x * x - square) % _P:
        x = x * _ROOT % _P
    if (x * x - square) % _P or (not x and sign):
        return None
    if x & 1 != sign:
        x = _P - x
    return (x, y, 1, x * y % _P)


def _encoded(p: _Point) -> bytes:
    inverse = pow(p[2], _P - 2, _P)
    x, y = p[0] * inverse % _P, p[1] * inverse % _P
    return (y | (x & 1) << 255).to_bytes(32, "little")


_BASE = _decoded((4 * pow(5, _P - 2, _P) % _P).to_bytes(32, "little")) or _NEUTRAL


def ed25519_verifies(public: bytes, message: bytes, signature: bytes) -> bool:
    """Whether the signature (64 bytes) of the message is by the key (32 bytes): R = [S]B - [k]A."""
    if len(public) != 32 or len(signature) != 64:
        return False
    point = _decoded(public)
    scalar = int.from_bytes(signature[32:], "little")
    if point is None or scalar >= _L:
        return False
    challenge = int.from_bytes(hashlib.sha512(signature[:32] + public + message).digest(), "little") % _L
    minus = (_P - point[0], point[1], 1, _P - point[3])
    # Both products at once: one row of doublings.
    table = (None, _BASE, minus, _add(_BASE, minus))
    found = _NEUTRAL
    for bit in range(252, -1, -1):
        found = _doubled(found)
        added = table[(scalar >> bit & 1) | (challenge >> bit & 1) << 1]
        if added is not None:
            found = _add(found, added)
    return _encoded(found) == signature[:32]


# --- Signed notes (C2SP: signed-note, tlog-checkpoint) ----------------------------------------------------------------


def parsed_key(line: str) -> Key:
    """NAME+MARK+KEY. Raises UnusableError."""
    parts = line.strip().split("+", 2)
    try:
        mark, raw = bytes.fromhex(parts[1]), base64.b64decode(parts[2], validate=True)
    except (IndexError, ValueError, binascii.Error):
        raise UnusableError(f"{line!r} is no verifier's key: NAME+MARK+KEY is wanted") from None
    if len(raw) != 33 or raw[:1] != b"\x01" or hashlib.sha256(parts[0].encode() + b"\n" + raw).digest()[:4] != mark:
        raise UnusableError(f"{line!r} is no Ed25519 verifier's key, or its parts do not belong together")
    return Key(parts[0], mark, raw[1:])


def opened_note(note: str, keys: Sequence[Key]) -> Checkpoint:
    """Raises ValueError: it is no checkpoint, or none of the keys has signed it."""
    text, separator, signatures = note.rpartition("\n\n")
    if not separator or not signatures.endswith("\n"):
        raise ValueError("it is no signed note: lines, an empty line, and signatures")
    body, found = text + "\n", 0
    for line in signatures.splitlines():
        parts = line.split(" ")
        if len(parts) != 3 or parts[0] != "\N{EM DASH}":
            raise ValueError("a signature's line is not one")
        raw = base64.b64decode(parts[2], validate=True)
        for key in keys:
            if (key.name, key.mark) == (parts[1], raw[:4]):
                if not ed25519_verifies(key.public, body.encode(), raw[4:]):
                    raise ValueError(f"the signature of {key.name} does not fit the text")
                found += 1
    if not found:
        raise ValueError("no key that is known has signed it")
    lines = body.split("\n")
    if len(lines) < 4 or not lines[0] or not _SIZE.fullmatch(lines[1]):
        raise ValueError("it is no checkpoint: origin, size and root are wanted")
    root = base64.b64decode(lines[2], validate=True)
    if len(root) != 32:
        raise ValueError("the root is no SHA-256 hash")
    return Checkpoint(lines[0], int(lines[1]), root)


# --- The tree (RFC 6962, section 2.1) ---------------------------------------------------------------------------------


def _node(left: bytes, right: bytes) -> bytes:
    return hashlib.sha256(b"\x01" + left + right).digest()


class Tree:
    """A growing tree as the roots of its whole subtrees, and the roots of those that the log stores (256, 65536...)."""

    def __init__(self, size: int = 0, peaks: Sequence[bytes] = ()) -> None:
        self.first = self.size = size
        self.peaks = list(peaks)
        self.subtrees: dict[tuple[int, int], bytes] = {}

    def append(self, leaf: bytes) -> None:
        peaks, height = self.peaks, 0
        peaks.append(leaf)
        self.size = size = self.size + 1
        while not size >> height & 1:
            right = peaks.pop()
            peaks.append(_node(peaks.pop(), right))
            height += 1
            if height % 8 == 0 and size - (1 << height) >= self.first:
                self.subtrees[height // 8, (size >> height) - 1] = peaks[-1]

    def root(self) -> bytes:
        if not self.peaks:
            return hashlib.sha256(b"").digest()
        root = self.peaks[-1]
        for peak in reversed(self.peaks[:-1]):
            root = _node(peak, root)
        return root


# --- Reading ----------------------------------------------------------------------------------------------------------


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("a name stands twice in an object")
    return found


def _constant(name: str) -> Any:
    raise ValueError(f"{name} is no number of JSON")


_DECODER = json.JSONDecoder(object_pairs_hook=_object, parse_constant=_constant)


def parsed(text: str) -> Any:
    """JSON, and no name twice. Raises ValueError."""
    try:
        return _DECODER.decode(text)
    except RecursionError:
        raise ValueError("it is nested too deeply") from None


def canonical(value: dict[str, Any]) -> bytes:
    """Canonical JSON of headers and commitments: they hold texts, lists of texts and null. Raises ValueError."""
    for each in value.values():
        if not (each is None or isinstance(each, str) or (isinstance(each, list) and all(map(_is_text, each)))):
            raise ValueError("a header and commitments hold texts alone")
    return json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":")).encode()


def _is_text(value: Any) -> bool:
    return isinstance(value, str)


class Export:
    """The files of an export: a directory or a .zip."""

    def __init__(self, path: Path) -> None:
        self._folder, self._zip = path, None
        if path.is_file():
            try:
                self._zip = zipfile.ZipFile(path)
            except (OSError, zipfile.BadZipFile) as error:
                raise UnusableError(f"{path} is no .zip ({error})") from None
        try:
            manifest = parsed("".join(self._lines("manifest.json")))
            if manifest["format"] != FORMAT:
                raise UnusableError(f"its format is {manifest['format']!r}, and this program reads {FORMAT!r}")
            self.tenant, self.origin = str(manifest["tenant"]), str(manifest["origin"])
            self.size, self.first = int(manifest["size"]), int(manifest["first"])
            self.peaks = [bytes.fromhex(peak) for peak in manifest["peaks"]]
            self.has_contents = bool(manifest["contents"])
            self.exported_at = _time(manifest["exported_at"])
            self.keys = [parsed_key(line) for line in manifest["verify_keys"]]
            is_start = len(self.peaks) == bin(self.first).count("1") and all(len(peak) == 32 for peak in self.peaks)
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise UnusableError(f"manifest.json is not one: {error!r}") from None
        if not is_start:
            raise UnusableError(f"manifest.json does not hold the hashes of a tree of {self.first} leaves")

    def records(self, name: str, only: tuple[str, ...] = ()) -> Iterator[tuple[int, Any]]:
        """(line, value) of each line; the value is None where it can't be read. only: of lines with one of these."""
        for number, line in enumerate(self._lines(name), start=1):
            if only and not any(text in line for text in only):
                continue
            try:
                value = parsed(line)
            except ValueError:
                value = None
            yield number, value if isinstance(value, dict) else None

    def _lines(self, name: str) -> Iterator[str]:
        # What is not UTF-8 becomes lone surrogates, which no canonical text has.
        settings: dict[str, Any] = {"encoding": "utf-8", "errors": "surrogateescape", "newline": "\n"}
        try:
            with contextlib.ExitStack() as stack:
                if self._zip is None:
                    yield from stack.enter_context((self._folder / name).open(**settings))
                else:
                    raw = stack.enter_context(self._zip.open(name))
                    yield from stack.enter_context(io.TextIOWrapper(raw, **settings))
        except (OSError, KeyError, zipfile.BadZipFile) as error:
            raise UnusableError(f"{name} can't be read: {error}") from None


def _time(text: str) -> datetime:
    return datetime.strptime(text, "%Y-%m-%dT%H:%M:%SZ")


# --- Events -----------------------------------------------------------------------------------------------------------


class Entry:
    """A line of events.jsonl. Raises ValueError where it is none."""

    def __init__(self, record: Any, tenant: str) -> None:
        if record is None or not isinstance(record.get("index"), int) or not _is_text(record.get("event_id")):
            raise ValueError("a leaf has an index and an event")
        if not _HEX.fullmatch(str(record.get("leaf"))):
            raise ValueError("a leaf is a hash in hex")
        self.index: int = record["index"]
        self.event: str = record["event_id"]
        self.leaf = bytes.fromhex(record["leaf"])
        self.header = record.get("header")
        commitments = record.get("commitments")
        self.label = record.get("actor_label")
        self.groups: dict[str, Any] = record["groups"] if isinstance(record.get("groups"), dict) else {}
        whole = isinstance(commitments, dict) and all(_is_commitment(each) for each in commitments.values())
        self.commitments: dict[str, str] = (
            {group: each for group, each in commitments.items() if _is_commitment(each)}
            if isinstance(commitments, dict)
            else {}
        )
        self.is_sealed = whole and self._is_of(tenant) and self._computed() == self.leaf

    def _is_of(self, tenant: str) -> bool:
        header = self.header
        return isinstance(header, dict) and header.get("tenant_id") == tenant and header.get("id") == self.event

    def _computed(self) -> bytes | None:
        try:
            return hashlib.sha256(b"\x00" + canonical(self.header) + canonical(self.commitments)).digest()
        except (ValueError, TypeError):
            return None

    def opened(self, group: str) -> dict[str, Any]:
        """The content of a group that is there. Raises ValueError: it is not what was recorded, and how that shows."""
        found = self.groups[group]
        if isinstance(found, dict) and "damaged" in found:
            raise ValueError(f"it does not decrypt: {found['damaged']}")
        if not isinstance(found, dict) or not _is_text(found.get("salt")) or not _is_text(found.get("content")):
            raise ValueError("it is not written as a group is")
        salt, content = bytes.fromhex(found["salt"]), found["content"].encode()
        message = b"\0".join((COMMITMENT_DOMAIN, group.encode(), content))
        if hmac.new(salt, message, hashlib.sha256).hexdigest() != self.commitments.get(group):
            raise ValueError("it does not open its commitment")
        values = parsed(found["content"])
        if not isinstance(values, dict):
            raise ValueError("it is no object")  # noqa: TRY004 - one kind of error for what a file may hold
        if group == "actor" and values.get("actor_label") != self.label:
            raise ValueError("the name beside the event is not the one that was recorded")
        return values


def _is_commitment(value: Any) -> bool:
    return isinstance(value, str) and _HEX.fullmatch(value) is not None


def named_by(core: Any, field: str) -> list[tuple[str, str]]:
    """The (event, group) that a field of an authorising event's core names."""
    named = core.get(field) if isinstance(core, dict) else None
    return [
        (each["event_id"], each["group"])
        for each in (named if isinstance(named, list) else [])
        if isinstance(each, dict) and _is_text(each.get("event_id")) and _is_text(each.get("group"))
    ]


# --- The verifier -----------------------------------------------------------------------------------------------------


def is_same_log(origin: str, other: str) -> bool:
    """A log that was put back to an earlier state goes on under <origin>/restored/<event>; it begins as it did."""
    return origin.partition("/restored/")[0] == other.partition("/restored/")[0]


class Verifier:
    """Goes through an export once for the removals that are authorised, and once for everything."""

    def __init__(self, export: Export, keys: Sequence[Key], checkpoint: Checkpoint | None) -> None:
        self.export, self.keys, self.checkpoint = export, keys, checkpoint
        self.findings: list[Finding] = []
        self.tree = Tree(export.first, export.peaks)
        self.next = export.first
        self.is_broken = False
        self.counts = {"leaves": 0, "groups": 0, "opened": 0, "removed": 0, "checkpoints": 0, "unsealed": 0}
        self.authorised: dict[tuple[str, str], int] = {}
        self.emptied: list[tuple[int, set[tuple[str, str]]]] = []
        self.roots: dict[int, list[tuple[bytes, str]]] = {}

    def run(self) -> None:
        self._read_checkpoints()
        self._read_authorised()
        self._judge_roots()
        for number, record in self.export.records("events.jsonl"):
            try:
                entry = Entry(record, self.export.tenant)
            except ValueError as error:
                self._find("MALFORMED", f"line {number} of events.jsonl: {error}")
                self.is_broken = True
                continue
            self.counts["leaves"] += 1
            self._place(entry)
            self._event(entry)
        self._end()

    def _find(self, kind: str, words: str, **place: Any) -> None:
        self.findings.append(Finding(kind, words, **place))

    def _read_checkpoints(self) -> None:
        for number, record in self.export.records("checkpoints.jsonl"):
            if record is None or not isinstance(record.get("size"), int):
                self._find("MALFORMED", f"line {number} of checkpoints.jsonl is none")
                continue
            self.counts["checkpoints"] += 1
            size = record["size"]
            try:
                found = opened_note(str(record.get("note")), self.keys)
            except ValueError as error:
                self._find("INVALID_CHECKPOINT", f"the log's own checkpoint: {error}", size=size)
                continue
            if (found.size, found.root.hex()) != (size, record.get("root")):
                words = "the log's own checkpoint: it says something else than what was signed"
                self._find("INVALID_CHECKPOINT", words, size=size)
                continue
            self._expect(found, "the log's own checkpoint")
        if self.checkpoint is not None:
            self._expect(self.checkpoint, "the checkpoint that was given")

    def _expect(self, checkpoint: Checkpoint, whose: str) -> None:
        if not is_same_log(checkpoint.origin, self.export.origin):
            words = f"{whose} is of {checkpoint.origin}, and this log is {self.export.origin}"
            self._find("FOREIGN_CHECKPOINT", words, size=checkpoint.size)
        elif checkpoint.size >= self.export.first:
            self.roots.setdefault(checkpoint.size, []).append((checkpoint.root, whose))

    def _read_authorised(self) -> None:
        for _, record in self.export.records("events.jsonl", only=AUTHORISING):
            try:
                entry = Entry(record, self.export.tenant)
                if entry.is_sealed and entry.header["action"] in AUTHORISING and "core" in entry.groups:
                    core = entry.opened("core")
                    if entry.header["action"] == EMPTIED:
                        self.emptied.append((entry.index, set(named_by(core, "kept"))))
                        continue
                    for place in named_by(core, "removals"):
                        self.authorised[place] = max(entry.index, self.authorised.get(place, -1))
            except (ValueError, KeyError):
                continue

    def _place(self, entry: Entry) -> None:
        if entry.index == self.next:
            self.next += 1
            if not self.is_broken:
                self.tree.append(entry.leaf)
                self._judge_roots()
            return
        self.is_broken = True
        if entry.index > self.next:
            words = f"leaves {self.next} to {entry.index - 1} are not there"
            self._find("MISSING_LEAF", words, leaf=self.next)
            self.next = entry.index + 1
        else:
            self._find("EXTRA_LEAF", "its place in the log is taken", leaf=entry.index, event=entry.event)

    def _judge_roots(self) -> None:
        for root, whose in self.roots.get(self.tree.size, ()):
            if root != self.tree.root():
                words = f"the log's first {self.tree.size} leaves are not those of {whose}"
                self._find("INCONSISTENT", words, size=self.tree.size)

    def _event(self, entry: Entry) -> None:
        place = {"leaf": entry.index, "event": entry.event}
        if entry.header is None:
            self._find("MISSING_EVENT", "its leaf is there, the event is gone", **place)
            return
        if not entry.is_sealed:
            self._find("ALTERED_EVENT", "its header or commitments are not those that were sealed", **place)
        for group in sorted(set(entry.commitments) | set(entry.groups)):
            is_named = self._is_authorised((entry.event, group), entry.index)
            self._group(entry, group, is_named, {**place, "group": group})

    def _is_authorised(self, place: tuple[str, str], index: int) -> bool:
        """Whether an event after this leaf says that the group is removed."""
        return self.authorised.get(place, -1) > index or any(
            emptied > index and place not in kept for emptied, kept in self.emptied
        )

    def _group(self, entry: Entry, group: str, is_named: bool, place: dict[str, Any]) -> None:
        if group not in entry.groups:
            self.counts["removed"] += 1
            if not is_named:
                self._find("UNAUTHORISED_REMOVAL", "it is gone, and no later sealed event authorises that", **place)
            elif group == "actor" and entry.label != "":
                self._find("INCOMPLETE_ERASURE", "its removal was authorised; the name stands by the event", **place)
            return
        self.counts["groups"] += 1
        if group not in entry.commitments:
            self._find("UNKNOWN_GROUP", "it is there, and the event was written without it", **place)
        elif self.export.has_contents:
            try:
                entry.opened(group)
                self.counts["opened"] += 1
            except ValueError as error:
                self._find("ALTERED_GROUP", str(error), **place)
        if is_named:
            self._find("INCOMPLETE_ERASURE", "its removal was authorised, and it is still there", **place)

    def _end(self) -> None:
        for size, expected in sorted(self.roots.items()):
            for _, whose in expected if size > self.next else ():
                self._find("TRUNCATED", f"the log has {self.next} leaves, and {whose} has {size}", size=size)
        self._judge_subtrees()
        for number, record in self.export.records("unsealed.jsonl"):
            try:
                event, age = record["event_id"], self.export.exported_at - _time(record["occurred_at"])
            except (TypeError, KeyError, ValueError):
                self._find("MALFORMED", f"line {number} of unsealed.jsonl is none")
                continue
            self.counts["unsealed"] += 1
            if record.get("waits") is not True or age.total_seconds() > SEALED_WITHIN_S:
                self._find("UNSEALED", "it has no leaf, and should have one by now", event=event)

    def _judge_subtrees(self) -> None:
        computed = self.tree.subtrees
        for number, record in self.export.records("subtrees.jsonl"):
            try:
                level, index, stored = record["level"], record["index"], record["hash"]
                first = index << 8 * level
            except (TypeError, KeyError, ValueError):
                self._find("MALFORMED", f"line {number} of subtrees.jsonl is none")
                continue
            right = computed.pop((level, index), None)
            if right is None and (self.is_broken or first < self.export.first):
                continue
            if right is None or right.hex() != stored:
                self._find("WRONG_SUBTREE", f"the stored root of level {level}, number {index}", leaf=first)
        for level, index in sorted(computed):
            self._find("WRONG_SUBTREE", f"no root of level {level}, number {index} is stored", leaf=index << 8 * level)


# --- Running ----------------------------------------------------------------------------------------------------------


def verify(path: Path, checkpoint: Path | None, keys: Sequence[str] = ()) -> Verifier:
    """Raises UnusableError."""
    export = Export(path)
    known = [parsed_key(line) for line in keys] or export.keys
    held = None
    if checkpoint is not None:
        try:
            held = opened_note(checkpoint.read_text(encoding="utf-8"), known)
        except (OSError, ValueError) as error:
            raise UnusableError(f"{checkpoint} is no checkpoint that can be trusted: {error}") from None
        if is_same_log(held.origin, export.origin) and held.size < export.first:
            raise UnusableError(f"the export begins at leaf {export.first}, and the checkpoint ends at {held.size}")
    verifier = Verifier(export, known, held)
    verifier.run()
    return verifier


def report(verifier: Verifier) -> dict[str, Any]:
    """The result as JSON has it."""
    export, held = verifier.export, verifier.checkpoint
    return {
        "result": "failed" if verifier.findings else "intact",
        "tenant": export.tenant,
        "origin": export.origin,
        "first": export.first,
        "size": verifier.next,
        "root": None if verifier.is_broken else verifier.tree.root().hex(),
        "checkpoint": None if held is None else held.size,
        "contents": export.has_contents,
        "counts": verifier.counts,
        "findings": [
            {"class": each.kind, **{name: value for name, value in each._asdict().items() if name != "kind"}}
            for each in verifier.findings
        ],
    }


def in_words(verifier: Verifier) -> str:
    """The result as a person reads it."""
    export, counts, held = verifier.export, verifier.counts, verifier.checkpoint
    lines = [
        f"Log {export.origin}, exported {export.exported_at} UTC",
        f"  {counts['leaves']} leaves from {export.first}, {counts['checkpoints']} checkpoints of its own",
        f"  {counts['groups']} field groups are there, {counts['opened']} of them opened; {counts['removed']} are gone",
    ]
    if not export.has_contents:
        lines.append("  The export is without contents: whether the field groups are as recorded was not checked.")
    if held is None:
        lines.append("  No checkpoint was given: a log cut off at its end, or written anew as a whole, would not show.")
    else:
        lines.append(f"  Against a checkpoint of {held.size} leaves")
    shown: dict[str, int] = {}
    for finding in verifier.findings:
        shown[finding.kind] = shown.get(finding.kind, 0) + 1
        if shown[finding.kind] <= SHOWN:
            lines.append(finding.line())
    lines += [f"{kind:<22}and {count - SHOWN} more" for kind, count in shown.items() if count > SHOWN]
    total = len(verifier.findings)
    lines.append(f"FAILED: {total} finding{'s' if total > 1 else ''}." if total else "Intact.")
    return "\n".join(lines)


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        description="Verify an export of a Glassbox audit log: 0 intact, 1 something is wrong, 2 not checked."
    )
    parser.add_argument("export", type=Path, help="the directory or .zip that `manage.py audit export` wrote")
    parser.add_argument("--checkpoint", type=Path, help="a signed checkpoint of this log that you kept")
    parser.add_argument("--key", action="append", default=[], help="the log's public key, NAME+MARK+KEY; repeatable")
    parser.add_argument("--json", action="store_true", help="print the result as JSON")
    options = parser.parse_args(arguments)
    try:
        verifier = verify(options.export, options.checkpoint, options.key)
    except UnusableError as error:
        print(f"It could not be checked: {error}.", file=sys.stderr)
        return 2
    print(json.dumps(report(verifier), indent=2) if options.json else in_words(verifier))
    return 1 if verifier.findings else 0


if __name__ == "__main__":
    sys.exit(main())
