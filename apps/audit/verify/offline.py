#!/usr/bin/env python3
"""Verify an export of a Glassbox audit log. One file, the standard library alone, Python 3.9 or later.

    python verify_log.py EXPORT --checkpoint FILE [--key NAME+MARK+KEY] [--witness NAME+MARK+KEY] [--proof FILE]
                         [--json]

EXPORT is the directory or the .zip that `manage.py audit export` wrote. FILE is a checkpoint of this log (a signed
note) that you kept from before, or got from somebody whom the log's operator can't reach: without one, a log that was
cut off at its end, or written anew as a whole, looks whole. KEY is the log's public key as you got it apart from the
export. Both belong to the proof, not to the export, and so does this program: whoever could change the export could
change the copy in it. A checkpoint is trusted that a KEY has signed; where none is given, that FILE or a key that has
signed FILE vouches for. What no trusted checkpoint covers is the export's own word: it authorises no removal. A
--witness is the key (C2SP cosignature/v1) of somebody who cosigns checkpoints: each that is named must have cosigned
one.

Ends with
    0   intact: nothing is wrong, and nothing hangs on events that no trusted checkpoint covers. The newest events of a
        log that is worked with have none yet; how many is said
    1   something is wrong, each finding with its class
    2   it could not be checked: it is no export, or can be read in two ways
    3   not proven: nothing contradicts what was given, and something rests on the export's own word: a removal that
        is authorised above every trusted checkpoint, events that should have been signed long ago, or all of it,
        where neither FILE nor KEY was given. Get a newer checkpoint, and check again

Time stamps (RFC 3161) are not checked here. --stamps DIR writes each that is in the export to DIR, with the note that
it is of; then: openssl ts -verify -data SIZE.note -in SIZE.tsr -CAfile ROOTS.pem

--proof FILE is the proof of a policy version, as the version's page hands it out, or of two versions or dates that were
compared. The log must name its digest for a submission or a comparison of the two contents that are in it, and each of
its theorems is decided anew, by enumerating both contents and who may ask where. So are the invariants: the later
content has to keep its own, and in a submission those of the earlier one too. Who may ask where is the proof's own
word, vouched for by the digest. Its sentences are not looked at.

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
    UNVOUCHED_EVENT       an event was written without the group that says who acted
    UNAUTHORISED_REMOVAL  a field group is gone, and no later sealed event authorises that
    INCOMPLETE_ERASURE    a removal was authorised, and what was to be removed is still there
    ALTERED_SCOPES        other people can read it than it was recorded for
    ALTERED_TERMS         what a field group is searched by does not follow from what it says
    FOREIGN_EVENT         the event was sealed in the log of another tenant
    INVALID_ATTESTATION   the cosignature of a witness that was named is not of the checkpoint that it stands by
    UNWITNESSED           a witness that was named has cosigned no checkpoint that is here
    UNSIGNED_REMOVAL      a field group is gone, and what authorises that lies above every trusted checkpoint
    UNSIGNED_TAIL         events above every trusted checkpoint are so old that one should have been signed over them
    UNRECORDED_PROOF      no submission and no comparison of policies in the log names the digest of the proof that was
                          given
    WRONG_PROOF           a theorem of the proof, or a digest in it, is not what follows from its contents, or an
                          invariant is broken
    MALFORMED             a line of the export can't be read, or says something that no log does
"""

from __future__ import annotations

import argparse
import base64
import binascii
import contextlib
import hashlib
import hmac
import io
import itertools
import json
import re
import stat
import sys
import zipfile
import zlib
from collections.abc import Iterator, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any, NamedTuple

FORMAT = "glassbox.audit.export.v2"
COMMITMENT_DOMAIN = b"glassbox.audit.commitment.v1"
# Actions whose core says which groups are removed: those that it names, or all before it but those that it names.
EMPTIED = "audit.log.emptied"
AUTHORISING = ("audit.payload.erased", EMPTIED)
# An event that waits is sealed within seconds; one that has waited so long is not waiting.
SEALED_WITHIN_S = 300
# A checkpoint is signed every minute. Events that are older and have none are not new: nobody signs.
SIGNED_WITHIN_S = 3600
# Classes that contradict nothing, and prove nothing either.
UNPROVEN = ("UNSIGNED_REMOVAL", "UNSIGNED_TAIL", "UNWITNESSED")
# The events whose core names the digest of a proof: of a policy's submission, and of policies that were compared.
SUBMITTED = "intents.policy.submitted"
COMPARED = "intents.policy.proven"
PROOF_FORMAT = "glassbox.policy.proof.v2"
FIRST_PROOF_FORMAT = "glassbox.policy.proof.v1"  # says nothing of who files what, nor of two reviewers
WITH_TEXT = "encrypted_text"
EFFECTS = ("allow", "flag", "block")  # what becomes of an answer by a rule of the profile, the strictest last
ASKING = ("analyst", "compliance_officer", "reviewer", "tenant_admin")  # the roles that may ask
ADDING = ("analyst", "tenant_admin")  # the roles that may add documents
REMOVING = ("dpo", "tenant_admin")  # the roles that may propose the removal of documents
TWO_FOR = ("everything", "wider_reach", "invariants", "profile")  # the changes that may take two reviewers
SHOWN = 50
MOST_KEPT = 100_000  # findings; all are counted
# What no export of a log reaches, so that what was made to exhaust the reader is refused.
LONGEST_LINE = 64 << 20
MOST_DIGITS = 4_300
MOST_TIMES_PACKED = 200
ALWAYS_READ = 16 << 20  # however well it is packed
LAST = 2**63 - 1  # the largest place in a log
MOST_GUESSED = 1_000  # events of which it is tried what was changed
MOST_SCOPES = 64
LEVELS = 8  # of stored subtrees: 256**8 leaves

_HEX = re.compile(r"[0-9a-f]{64}")
_ID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")
_SIZE = re.compile(r"0|[1-9][0-9]{0,18}")
_NAME = re.compile(r"[^\s+]{1,200}")


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


class Key(NamedTuple):
    name: str
    mark: bytes
    public: bytes


class Checkpoint(NamedTuple):
    """signers: of the keys that it was opened with, those that have signed it."""

    origin: str
    size: int
    root: bytes
    signers: tuple[Key, ...] = ()


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
        raise UnusableError(f"{line!r} is not a verifier key: expected NAME+MARK+KEY") from None
    if len(raw) != 33 or raw[:1] != b"\x01" or hashlib.sha256(parts[0].encode() + b"\n" + raw).digest()[:4] != mark:
        raise UnusableError(f"{line!r} is not an Ed25519 verifier key, or its parts do not match")
    return Key(parts[0], mark, raw[1:])


def opened_note(note: str, keys: Sequence[Key]) -> Checkpoint:
    """Raises ValueError: it is no checkpoint, or none of the keys has signed it."""
    text, separator, signatures = note.rpartition("\n\n")
    if not separator or not signatures.endswith("\n"):
        raise ValueError("it is not a signed note: expected lines, an empty line and signatures")
    body = text + "\n"
    signers: list[Key] = []
    for line in signatures[:-1].split("\n"):
        parts = line.split(" ")
        if len(parts) != 3 or parts[0] != "\N{EM DASH}" or not _NAME.fullmatch(parts[1]):
            raise ValueError("a signature line is not valid")
        raw = base64.b64decode(parts[2], validate=True)
        if len(raw) < 5:
            raise ValueError("a signature is too short")
        for key in keys:
            if (key.name, key.mark) == (parts[1], raw[:4]):
                if not ed25519_verifies(key.public, body.encode(), raw[4:]):
                    raise ValueError(f"the signature of {key.name} does not fit the text")
                signers.append(key)
    if not signers:
        raise ValueError("no known key has signed it")
    lines = body.split("\n")
    if len(lines) < 4 or not lines[0] or not _SIZE.fullmatch(lines[1]):
        raise ValueError("it is not a checkpoint: expected origin, size and root")
    root = base64.b64decode(lines[2], validate=True)
    if len(root) != 32:
        raise ValueError("the root is not a SHA-256 hash")
    return Checkpoint(lines[0], int(lines[1]), root, tuple(signers))


# --- Cosignatures (C2SP: tlog-cosignature) ----------------------------------------------------------------------------


def parsed_witness(line: str) -> Key:
    """NAME+MARK+KEY of a witness. Raises UnusableError."""
    parts = line.strip().split("+", 2)
    try:
        mark, raw = bytes.fromhex(parts[1]), base64.b64decode(parts[2], validate=True)
    except (IndexError, ValueError, binascii.Error):
        raise UnusableError(f"{line!r} is no witness's key: NAME+MARK+KEY is wanted") from None
    if len(raw) != 33 or raw[:1] != b"\x04" or hashlib.sha256(parts[0].encode() + b"\n" + raw).digest()[:4] != mark:
        raise UnusableError(f"{line!r} is no key of cosignature/v1, or its parts do not belong together")
    return Key(parts[0], mark, raw[1:])


def cosigned_at(note: str, witness: Key) -> int | None:
    """When the witness cosigned it, in seconds since 1970; None: it did not. Raises ValueError: it signed another."""
    text, _, signatures = note.rpartition("\n\n")
    for line in signatures.split("\n"):
        parts = line.split(" ")
        if len(parts) != 3 or parts[1] != witness.name:
            continue
        raw = base64.b64decode(parts[2], validate=True)
        if raw[:4] != witness.mark:
            continue
        seconds = int.from_bytes(raw[4:12], "big")
        message = f"cosignature/v1\ntime {seconds}\n{text}\n".encode()
        if len(raw) != 76 or seconds > LAST or not ed25519_verifies(witness.public, message, raw[12:]):
            raise ValueError(f"the cosignature of {witness.name} is not of this checkpoint")
        return seconds
    return None


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
        raise ValueError("a name appears twice in an object")
    return found


def _constant(name: str) -> Any:
    raise ValueError(f"{name} is not a JSON number")


def _whole(digits: str) -> int:
    if len(digits) > MOST_DIGITS:
        raise ValueError("a number has too many digits")
    return int(digits)


_DECODER = json.JSONDecoder(object_pairs_hook=_object, parse_constant=_constant, parse_int=_whole)


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


def _is_count(value: Any) -> bool:
    """Whether it is a whole number that a log can have. True and 1.0 are none."""
    return type(value) is int and 0 <= value <= LAST


def _count(value: Any) -> int:
    if not _is_count(value):
        raise ValueError("it is no number of a log")
    return int(value)


def _level(value: Any) -> int:
    if not 1 <= _count(value) <= LEVELS:
        raise ValueError("no log has subtrees of this level")
    return int(value)


def _text(value: Any) -> str:
    if not _is_text(value):
        raise ValueError("it is no text")
    return str(value)


def _id(value: Any) -> str:
    if not _ID.fullmatch(_text(value)):
        raise ValueError("it is no id")
    return str(value)


def _list(value: Any) -> list[Any]:
    if type(value) is not list:
        raise ValueError("it is no list")
    return list(value)


# What reading a damaged or a hostile file raises.
_UNREADABLE = (
    OSError,
    EOFError,
    KeyError,
    ValueError,
    RuntimeError,  # a member that wants a password
    NotImplementedError,  # one that is packed in another way
    MemoryError,
    zlib.error,
    zipfile.BadZipFile,
)


class Export:
    """The files of an export: a directory or a .zip. What they say of themselves is believed as far as it is checked.

    Raises UnusableError: it is none, or could be read in two ways.
    """

    def __init__(self, path: Path) -> None:
        self.path, self._zip = path, None
        if path.is_file():
            try:
                self._zip = zipfile.ZipFile(path)
                members = self._zip.infolist()
            except _UNREADABLE as error:
                raise UnusableError(f"{path} is no .zip ({error})") from None
            _refuse_tricks(members)
        try:
            manifest = parsed("".join(self._lines("manifest.json")))
            if manifest["format"] != FORMAT:
                raise UnusableError(
                    f"its format is {str(manifest['format'])[:80]!r}, and this program reads {FORMAT!r}"
                )
            self.tenant, self.origin = manifest["tenant"], manifest["origin"]
            self.size, self.first, self.has_contents = manifest["size"], manifest["first"], manifest["contents"]
            self.peaks = [bytes.fromhex(peak) for peak in _list(manifest["peaks"])]
            self.scopes = sorted(_id(each) for each in _list(manifest["scopes"]))[:MOST_SCOPES]
            self.exported_at = _time(manifest["exported_at"])
            self.keys = [parsed_key(_text(line)) for line in _list(manifest["verify_keys"])]
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise UnusableError(f"manifest.json is not one: {str(error)[:200]!r}") from None
        if not _is_text(self.tenant) or not _ID.fullmatch(self.tenant):
            raise UnusableError("manifest.json names no tenant")
        if not _is_text(self.origin) or not is_same_log(self.origin, f"glassbox/audit/{self.tenant}"):
            raise UnusableError("manifest.json names a tenant, and a log that is not this tenant's")
        if not _is_count(self.size) or not _is_count(self.first) or self.first > self.size:
            raise UnusableError("manifest.json says from which leaf to which in numbers that are none")
        if type(self.has_contents) is not bool:
            raise UnusableError("manifest.json does not say whether the contents are there")
        if len(self.peaks) != bin(self.first).count("1") or any(len(peak) != 32 for peak in self.peaks):
            raise UnusableError(f"manifest.json does not hold the hashes of a tree of {self.first} leaves")

    def holds(self, path: Path) -> bool:
        """Whether a file came with the export."""
        try:
            return self._zip is None and self.path.resolve() in path.resolve().parents
        except (OSError, RuntimeError):
            return True

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
                    # Not by way of a link, nor out of a pipe or a device, which need not end.
                    if not stat.S_ISREG((self.path / name).lstat().st_mode):
                        raise UnusableError(f"{name} is no plain file")
                    file = stack.enter_context((self.path / name).open(**settings))
                else:
                    raw = stack.enter_context(self._zip.open(name))
                    file = stack.enter_context(io.TextIOWrapper(raw, **settings))
                while line := file.readline(LONGEST_LINE):
                    if len(line) == LONGEST_LINE:
                        raise UnusableError(f"{name} has a line that is longer than any of an export")
                    yield line
        except _UNREADABLE as error:
            raise UnusableError(f"{name} can't be read: {error}") from None


def _refuse_tricks(members: Sequence[zipfile.ZipInfo]) -> None:
    """What unpacks to something else than is read here, or to more than there is room for. Raises UnusableError."""
    seen: set[str] = set()
    for member in members:
        # As a file system would that knows no case; whoever unpacks it may have one.
        name = member.filename.casefold()
        if name in seen:
            raise UnusableError(f"{member.filename!r} stands twice in the .zip: it could be read in two ways")
        seen.add(name)
        parts = name.replace("\\", "/").split("/")
        if parts[0] == "" or ".." in parts or ":" in name or "\\" in name or "\0" in member.orig_filename:
            raise UnusableError(f"{member.orig_filename!r} in the .zip leads out of the folder that it is unpacked to")
        if member.file_size > max(ALWAYS_READ, MOST_TIMES_PACKED * member.compress_size):
            raise UnusableError(f"{member.filename!r} is packed {MOST_TIMES_PACKED} times over: no export of a log is")


_MOMENT = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}Z")


def _time(text: str) -> datetime:
    if not _is_text(text) or not _MOMENT.fullmatch(text):
        raise ValueError("a time is not written as one")
    return datetime.strptime(text, "%Y-%m-%dT%H:%M:%SZ")


# --- Events -----------------------------------------------------------------------------------------------------------


class Entry:
    """A line of events.jsonl. Raises ValueError where it is none."""

    def __init__(self, record: Any, tenant: str) -> None:
        if record is None or not _is_count(record.get("index")) or not _is_text(record.get("event_id")):
            raise ValueError("a leaf has an index and an event")
        if not _is_commitment(record.get("leaf")):
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
        self.is_whole = whole
        scopes = record.get("other_scopes")
        self.scopes: dict[str, list[str]] = {
            group: sorted(each)
            for group, each in (scopes.items() if isinstance(scopes, dict) else ())
            if isinstance(each, list) and all(map(_is_text, each))
        }
        self.is_sealed = whole and self._is_of(tenant) and self.fits()

    def _is_of(self, tenant: str) -> bool:
        header = self.header
        return isinstance(header, dict) and header.get("tenant_id") == tenant and header.get("id") == self.event

    def fits(self, **changes: Any) -> bool:
        """Whether the leaf is that of the event, or of one with another header."""
        try:
            header = {**self.header, **changes}
            return hashlib.sha256(b"\x00" + canonical(header) + canonical(self.commitments)).digest() == self.leaf
        except (ValueError, TypeError):
            return False

    def own_scopes(self) -> list[str]:
        scopes = self.header.get("scope_ids") if isinstance(self.header, dict) else None
        return sorted(scopes) if isinstance(scopes, list) and all(map(_is_text, scopes)) else []

    def has_its_terms(self, group: str, values: dict[str, Any]) -> bool:
        """Whether what a group is searched by is what it says."""
        terms = self.groups[group].get("terms", [])
        if not isinstance(terms, list) or not all(map(_is_text, terms)):
            return False
        try:
            told = sorted(set(terms_of(group, values)))
        except (KeyError, TypeError, AttributeError):
            told = []
        return sorted(terms) == told

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


def terms_of(group: str, values: dict[str, Any]) -> Iterator[str]:
    """What a group can be found by: ids and codes. Raises KeyError, TypeError: it can't be told."""
    if group == "core":
        for name in ("intent", "policy_version"):
            if isinstance(values.get(name), (str, int)):
                yield f"{name}:{values[name]}"
        for each in values.get("removals", ()):
            if isinstance(each, dict):
                yield f"removal:{each['event_id']}:{each['group']}"
        kept = values.get("kept")
        for each in kept if isinstance(kept, list) else ():
            yield f"kept:{each['event_id']}:{each['group']}"
    elif group == "passages":
        for each in values.get("hits", ()):
            if isinstance(each, dict) and each.get("document_id"):
                yield f"document_id:{each['document_id']}"


def guesses(now: list[str], known: list[str], told: list[list[str]]) -> Iterator[list[str]]:
    """For which scopes an event may have been recorded, given those that it has now. Each is sorted."""
    yield from told
    yield []
    yield known
    for scope in known:
        yield [scope]
        yield sorted({*now} ^ {scope})
    for pair in itertools.combinations(known, 2):
        yield list(pair)


def scope_words(now: list[str], before: list[str]) -> str:
    if set(now) < set(before):
        return f"its scopes were widened: it was recorded for {len(before)} and can be read with {len(now)} of them"
    return f"its scopes are others than it was recorded for: {len(before)} then, {len(now)} now"


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


class Authority:
    """What sealed events say may be gone: group by group, or all that came before but some."""

    def __init__(self) -> None:
        self._named: dict[tuple[str, str], int] = {}
        self._emptied: list[tuple[int, set[tuple[str, str]]]] = []

    def add(self, entry: Entry, core: dict[str, Any]) -> None:
        if entry.header["action"] == EMPTIED:
            self._emptied.append((entry.index, set(named_by(core, "kept"))))
            return
        for place in named_by(core, "removals"):
            self._named[place] = max(entry.index, self._named.get(place, -1))

    def names(self, place: tuple[str, str], index: int) -> bool:
        """Whether an event after this leaf says that the group is removed."""
        return self._named.get(place, -1) > index or any(
            emptied > index and place not in kept for emptied, kept in self._emptied
        )


class Verifier:
    """Goes through an export once for the removals that are authorised, and once for everything.

    trusted: the keys whose checkpoints vouch for what they cover. to_cover: the leaves below the newest checkpoint that
    one of them signed. Where that one does not fit the log, this is a finding by itself.
    """

    def __init__(
        self,
        export: Export,
        keys: Sequence[Key],
        checkpoint: Checkpoint | None,
        trusted: Sequence[Key] = (),
        witnesses: Sequence[Key] = (),
        held_note: str = "",
    ) -> None:
        self.witnesses, self.held_note = witnesses, held_note
        self.witnessed: dict[str, tuple[int, int]] = {}  # name -> (size, seconds) of the newest
        self.export, self.keys, self.checkpoint, self.trusted = export, keys, checkpoint, frozenset(trusted)
        self.findings: list[Finding] = []
        self.totals: dict[str, int] = {}
        self.tree = Tree(export.first, export.peaks)
        self.next = export.first
        self.is_broken = False
        self.counts = {"leaves": 0, "groups": 0, "opened": 0, "removed": 0, "checkpoints": 0, "unsealed": 0}
        self.authorised, self.unsigned = Authority(), Authority()
        self.roots: dict[int, list[tuple[bytes, str, bool]]] = {}
        self.to_cover = self.covered = 0
        self.oldest_unsigned: datetime | None = None
        self.tenants: set[str] = set()
        self.guesses_left = MOST_GUESSED
        self.proofs: dict[str, list[dict[str, Any]]] = {}  # the cores of the events, by the digest of their proof
        self.submitted: set[str] = set()  # the digests of proofs of submissions
        self.came_with_it = False  # the checkpoint that was given lies in the export itself

    @property
    def tail(self) -> int:
        """Leaves that no trusted checkpoint covers."""
        return int(self.next - max(self.covered, self.export.first))

    @property
    def result(self) -> str:
        if self.totals.keys() - set(UNPROVEN):
            return "failed"
        return "unproven" if self.totals or not self.trusted else "intact"

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
        self.totals[kind] = self.totals.get(kind, 0) + 1
        if len(self.findings) < MOST_KEPT:
            self.findings.append(Finding(kind, words, **place))

    def _read_checkpoints(self) -> None:
        for number, record in self.export.records("checkpoints.jsonl"):
            if record is None or not _is_count(record.get("size")):
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
            self._judge_cosignatures(found, str(record.get("note")))
        if self.checkpoint is not None:
            self._expect(self.checkpoint, "the checkpoint that was given")
            self._judge_cosignatures(self.checkpoint, self.held_note)
        for witness in self.witnesses:
            if witness.name not in self.witnessed:
                self._find("UNWITNESSED", f"{witness.name} has cosigned none of the checkpoints that are here")

    def _judge_cosignatures(self, checkpoint: Checkpoint, note: str) -> None:
        for witness in self.witnesses:
            try:
                seconds = cosigned_at(note, witness)
            except ValueError:
                words = f"what {witness.name} is said to have attested is not this checkpoint"
                self._find("INVALID_ATTESTATION", words, size=checkpoint.size)
                continue
            if seconds is not None and is_same_log(checkpoint.origin, self.export.origin):
                newest = max((checkpoint.size, seconds), self.witnessed.get(witness.name, (0, 0)))
                self.witnessed[witness.name] = newest

    def _expect(self, checkpoint: Checkpoint, whose: str) -> None:
        if not is_same_log(checkpoint.origin, self.export.origin):
            words = f"{whose} is of {checkpoint.origin}, and this log is {self.export.origin}"
            self._find("FOREIGN_CHECKPOINT", words, size=checkpoint.size)
            place, _, tenant = checkpoint.origin.partition("/restored/")[0].rpartition("/")
            if place == "glassbox/audit":
                self.tenants.add(tenant)
        elif checkpoint.size >= self.export.first:
            is_trusted = not self.trusted.isdisjoint(checkpoint.signers)
            self.roots.setdefault(checkpoint.size, []).append((checkpoint.root, whose, is_trusted))
            if is_trusted:
                self.to_cover = max(self.to_cover, checkpoint.size)

    def _read_authorised(self) -> None:
        for _, record in self.export.records("events.jsonl", only=AUTHORISING):
            try:
                entry = Entry(record, self.export.tenant)
                if entry.is_sealed and entry.header["action"] in AUTHORISING and "core" in entry.groups:
                    authority = self.authorised if entry.index < self.to_cover else self.unsigned
                    authority.add(entry, entry.opened("core"))
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
        for root, whose, is_trusted in self.roots.get(self.tree.size, ()):
            if root == self.tree.root():
                self.covered = max(self.covered, self.tree.size if is_trusted else 0)
            else:
                words = f"the log's first {self.tree.size} leaves are not those of {whose}"
                self._find("INCONSISTENT", words, size=self.tree.size)

    def _event(self, entry: Entry) -> None:
        place = {"leaf": entry.index, "event": entry.event}
        if entry.header is None:
            self._find("MISSING_EVENT", "its leaf is there, the event is gone", **place)
            return
        if not entry.is_sealed:
            kind, words = self._what_was_changed(entry)
            self._find(kind, words, **place)
        if entry.is_sealed and entry.index >= self.to_cover:
            self._note_unsigned(entry)
        for group in sorted(set(entry.commitments) | set(entry.groups) | {"actor"}):
            self._group(entry, group, {**place, "group": group})

    def _what_was_changed(self, entry: Entry) -> tuple[str, str]:
        """Of an event whose leaf is not its own. A leaf tells nothing of what stood there, but a guess can be tried."""
        if isinstance(entry.header, dict) and entry.is_whole and self.guesses_left > 0:
            self.guesses_left -= 1
            if entry.header.get("tenant_id") != self.export.tenant and entry.fits():
                return "FOREIGN_EVENT", "its leaf is that of an event of another tenant"
            for tenant in sorted(self.tenants):
                if entry.fits(tenant_id=tenant):
                    return "FOREIGN_EVENT", f"it was sealed in the log of tenant {tenant}"
            now = entry.own_scopes()
            for scopes in guesses(now, self.export.scopes, list(entry.scopes.values())):
                if entry.fits(scope_ids=scopes, tenant_id=self.export.tenant):
                    return "ALTERED_SCOPES", scope_words(now, scopes)
        return "ALTERED_EVENT", "its header or commitments are not those that were sealed"

    def _note_unsigned(self, entry: Entry) -> None:
        with contextlib.suppress(ValueError, KeyError):
            moment = _time(entry.header["occurred_at"])
            self.oldest_unsigned = min(moment, self.oldest_unsigned or moment)

    def _group(self, entry: Entry, group: str, place: dict[str, Any]) -> None:
        is_named = self.authorised.names((entry.event, group), entry.index)
        if group not in entry.groups:
            if group not in entry.commitments:
                # A removal that names the group all the same disowns the event.
                if not is_named:
                    where = {name: value for name, value in place.items() if name != "group"}
                    self._find("UNVOUCHED_EVENT", "it was written without the group that says who acted", **where)
                    return
            else:
                self.counts["removed"] += 1
            if not is_named and self.unsigned.names((entry.event, group), entry.index):
                words = "it is gone, and no trusted checkpoint covers the event that authorises that"
                self._find("UNSIGNED_REMOVAL", words, **place)
            elif not is_named:
                self._find("UNAUTHORISED_REMOVAL", "it is gone, and no later sealed event authorises that", **place)
            elif group == "actor" and entry.label != "":
                self._find("INCOMPLETE_ERASURE", "its removal was authorised; the name stands by the event", **place)
            return
        self.counts["groups"] += 1
        if group in entry.scopes and entry.scopes[group] != entry.own_scopes():
            self._find("ALTERED_SCOPES", scope_words(entry.scopes[group], entry.own_scopes()), **place)
        self._refuse_hidden(entry, group)
        if group not in entry.commitments:
            self._find("UNKNOWN_GROUP", "it is there, and the event was written without it", **place)
        elif self.export.has_contents:
            try:
                values = entry.opened(group)
            except ValueError as error:
                self._find("ALTERED_GROUP", str(error), **place)
            else:
                self.counts["opened"] += 1
                self._keep_proof(entry, group, values)
                if not entry.has_its_terms(group, values):
                    words = "what it is searched by, and what the eraser goes by, is not what it says"
                    self._find("ALTERED_TERMS", words, **place)
        if is_named:
            self._find("INCOMPLETE_ERASURE", "its removal was authorised, and it is still there", **place)

    def _keep_proof(self, entry: Entry, group: str, values: dict[str, Any]) -> None:
        header = entry.header if isinstance(entry.header, dict) else {}
        action = header.get("action")
        if group == "core" and action in (SUBMITTED, COMPARED) and _is_text(values.get("proof_sha256")):
            if action == SUBMITTED:
                self.submitted.add(values["proof_sha256"])
            self.proofs.setdefault(values["proof_sha256"], []).append(values)

    def judge_proof(self, raw: bytes) -> None:
        """Hold a policy's proof against the log that was run through, and against itself. Raises UnusableError."""
        if not self.export.has_contents:
            raise UnusableError("the export is without contents, so it does not say which proofs were recorded")
        digest = hashlib.sha256(raw).hexdigest()
        recorded = self.proofs.get(digest, [])
        if not recorded:
            self._find("UNRECORDED_PROOF", f"no submission and no comparison in the log names {digest}")
        try:
            proof = parsed(raw.decode())
            if _json(proof).encode() != raw:
                self._find("WRONG_PROOF", "its bytes are not those that such a file has, which is canonical JSON")
            compared = bool(recorded) and digest not in self.submitted
            for words in wrong_in_proof(proof, recorded, compared=compared):
                self._find("WRONG_PROOF", words)
        except (AttributeError, KeyError, TypeError, ValueError) as error:
            raise UnusableError(f"the proof can't be read: {error!r}") from None

    def _refuse_hidden(self, entry: Entry, group: str) -> None:
        """An export that says that it has no contents has none, but what authorises removals. Raises UnusableError."""
        if self.export.has_contents or entry.groups[group] is None:
            return
        header = entry.header if isinstance(entry.header, dict) else {}
        if group != "core" or header.get("action") not in AUTHORISING:
            raise UnusableError(
                f"manifest.json says that the export is without contents, and leaf {entry.index} has some: they would "
                "be read and not be checked"
            )

    def _end(self) -> None:
        for size, expected in sorted(self.roots.items()):
            for _, whose, _ in expected if size > self.next else ():
                self._find("TRUNCATED", f"the log has {self.next} leaves, and {whose} has {size}", size=size)
        if self.export.size != self.next:
            self._find(
                "MALFORMED", f"manifest.json counts leaves up to {self.export.size}, and they end at {self.next}"
            )
        if self.trusted and self.oldest_unsigned is not None:
            age = self.export.exported_at - self.oldest_unsigned
            if age.total_seconds() > SIGNED_WITHIN_S:
                words = "no trusted checkpoint covers the events from here on, and one should have been signed"
                self._find("UNSIGNED_TAIL", words, leaf=max(self.to_cover, self.export.first))
        self._judge_subtrees()
        for number, record in self.export.records("unsealed.jsonl"):
            try:
                event, age = _id(record["event_id"]), self.export.exported_at - _time(record["occurred_at"])
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
                level, index, stored = _level(record["level"]), _count(record["index"]), record["hash"]
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


# --- Proofs of policies -----------------------------------------------------------------------------------------------

_ROW = {"theorem", "holds", "count", "blocks", "changes", "sentence"}
_Told = tuple[set[tuple[Any, ...]], set[tuple[Any, ...]]]  # counterexamples with places, and without


def wrong_in_proof(proof: Any, recorded: Sequence[dict[str, Any]], *, compared: bool = False) -> Iterator[str]:
    """What is wrong in a proof, in words. recorded: the cores of the events that name it.

    compared: whether it is of no submission. Between two dates several versions may have dropped an invariant.

    Raises KeyError, TypeError, ValueError: it is no proof.
    """
    if proof["format"] not in (PROOF_FORMAT, FIRST_PROOF_FORMAT):
        raise ValueError(f"its format is {proof['format']!r}, and not {PROOF_FORMAT!r}")
    before, after = proof["before"], proof["after"]
    for name, side in (("before", before), ("after", after)):
        if hashlib.sha256(_json(side["content"]).encode()).hexdigest() != side["content_sha256"]:
            yield f"the digest of the content {name} is not that of the content"
        if _twice([rule["name"] for rule in side["content"]["intents"]] + ["unrecognised"]):
            yield f"the content {name} has an intent twice"
        if any(type(scopes) is not list or sorted(set(scopes)) != scopes for scopes in side["held"].values()):
            yield f"who may ask where, {name}, is not told as lists of scopes"
    kept = [("its own", after["content"]), ("the earlier version's", before["content"])]
    for which, content in kept[:1] if compared else kept:
        for invariant in broken_invariants(content, after["content"]):
            yield f"the later content breaks {which} invariant {_json(invariant)}"
    for core in recorded:
        if (core.get("before_sha256"), core.get("content_sha256")) != (
            before["content_sha256"],
            after["content_sha256"],
        ):
            yield f"the {'comparison' if compared else 'submission'} that the log names it for is of other contents"
        if _json(core.get("number", after["version"])) != _json(after["version"]):
            yield f"the {'comparison' if compared else 'submission'} that the log names it for is of another version"
    expected = enumerated(before, after)
    if proof["format"] == PROOF_FORMAT:
        expected.update(_of_kinds(before["content"], after["content"]))
    told = {row["theorem"]: row for row in proof["theorems"]}
    if set(told) != set(expected) or len(proof["theorems"]) != len(expected):
        yield "its list of theorems is not the closed list of this format"
    for theorem in sorted(set(told) & set(expected)):
        row, (placed, changes) = told[theorem], expected[theorem]
        if not {"theorem", "holds", "count", "blocks", "changes"} <= set(row) <= _ROW:
            yield f"{theorem} is not told as a proof tells it"
        given_places, given_changes = _expanded(row["blocks"]), [tuple(each) for each in row["changes"]]
        count = len(placed) + len(changes)
        if _json([row["holds"], row["count"]]) != _json([not count, count]):
            yield f"{theorem} is {'refuted by ' + str(count) if count else 'true'}, and it says something else"
        if not isinstance(row["blocks"], list) or not isinstance(row["changes"], list):
            yield f"the counterexamples of {theorem} are no list"
        if sorted(given_places) != sorted(placed) or sorted(map(_json, given_changes)) != sorted(map(_json, changes)):
            yield f"the counterexamples of {theorem} are not those that there are"


def broken_invariants(whose: dict[str, Any], content: dict[str, Any]) -> Iterator[Any]:
    """The invariants of one content that another breaks, or the same one, by going through all combinations.

    Of an earlier content, an intent that is gone may have been renamed: a new one counts as the one that is meant.
    """
    names, earlier = set(_rules(content)), set(_rules(whose))
    for invariant in whose.get("invariants", ()):
        roles, intents = set(invariant["roles"]) or set(ASKING), set(invariant["intents"])
        is_never = invariant["mode"] == "never"
        renamed = names - earlier if is_never and intents - names else set()
        for role, (name, kind) in itertools.product(ASKING, _cells(content)):
            spoken_of = role in roles and (not intents or name in intents or name in renamed)
            if kind in invariant["kinds"] and spoken_of is is_never:
                yield invariant
                break


def enumerated(before: dict[str, Any], after: dict[str, Any]) -> dict[str, _Told]:
    """Every theorem with its counterexamples, by going through all combinations."""
    old, new = _rules(before["content"]), _rules(after["content"])
    reached = [_reached(side) for side in (before, after)]
    anything = [{(role, scope, "", kind) for role, scope, _, kind in each} for each in reached]
    places = [{(role, scope) for role, scopes in side["held"].items() for scope in scopes} for side in (before, after)]
    cells = [_cells(side["content"]) for side in (before, after)]
    caps = [
        {
            "": side["content"]["total_cap_chars"],
            **{row["kind"]: row["cap_chars"] for row in side["content"]["budgets"]},
        }
        for side in (before, after)
    ]
    nothing: set[tuple[Any, ...]] = set()

    def text(name: str, rules: dict[str, Any]) -> Any:
        return rules[name]["recording_mode"] if name in rules else None

    def raised(one: dict[str, int], other: dict[str, int]) -> list[str]:
        return [kind for kind, cap in other.items() if cap > one.get(kind, 0)]

    def cap(kind: str) -> tuple[Any, ...]:
        return (kind, *(None if each.get(kind) is None else str(each[kind]) for each in caps))

    def mode(name: str) -> tuple[Any, ...]:
        return (name, text(name, old), text(name, new))

    both = {*old, *new}
    deciding = [_deciding(side["content"]) for side in (before, after)]
    kept = {_json(each) for each in after["content"].get("invariants", ())}
    return {
        "nothing_permitted": (nothing, {(name, None, kind) for name, kind in cells[1] - cells[0]}),
        "nothing_forbidden": (nothing, {(name, kind, None) for name, kind in cells[0] - cells[1]}),
        "nothing_gained": (reached[1] - reached[0], nothing),
        "nothing_lost": (reached[0] - reached[1], nothing),
        "no_kind_gained": (anything[1] - anything[0], nothing),
        "no_kind_lost": (anything[0] - anything[1], nothing),
        "no_place_gained": (places[1] - places[0], nothing),
        "no_place_lost": (places[0] - places[1], nothing),
        "fallback_not_wider": (
            nothing,
            {(kind, None, None) for name, kind in cells[1] - cells[0] if name == "unrecognised"},
        ),
        "no_more_text_kept": (
            nothing,
            {mode(each) for each in both if text(each, new) == WITH_TEXT and text(each, old) != WITH_TEXT},
        ),
        "no_less_text_kept": (
            nothing,
            {mode(each) for each in both if text(each, old) == WITH_TEXT and text(each, new) != WITH_TEXT},
        ),
        "no_cap_raised": (nothing, {cap(kind) for kind in raised(caps[0], caps[1])}),
        "no_cap_lowered": (nothing, {cap(kind) for kind in raised(caps[1], caps[0])}),
        "no_intent_gone": (nothing, {(name, None, None) for name in old if name not in new}),
        "no_intent_new": (nothing, {(name, None, None) for name in new if name not in old}),
        "same_recognition": (
            nothing,
            {
                (name, deciding[0].get(name), deciding[1].get(name))
                for name in {*deciding[0], *deciding[1]}
                if deciding[0].get(name) != deciding[1].get(name)
            },
        ),
        "invariants_kept": (
            nothing,
            {(_json(each), None, None) for each in before["content"].get("invariants", ()) if _json(each) not in kept},
        ),
        **_of_profiles(before["content"], after["content"]),
    }


def _of_kinds(before: dict[str, Any], after: dict[str, Any]) -> dict[str, _Told]:
    """The theorems on who files what, on the kinds themselves, and on the rule of two reviewers."""
    nothing: set[tuple[Any, ...]] = set()
    found: dict[str, _Told] = {}
    kinds = [{row["kind"]: row for row in content["budgets"]} for content in (before, after)]
    for right, who in (("upload", "uploader"), ("correct", "corrector"), ("remove", "remover")):
        had, has = ({(kind, role) for kind, row in rows.items() for role in _having(row, right)} for rows in kinds)
        found[f"no_{who}_gained"] = (nothing, {(kind, None, role) for kind, role in has - had})
        found[f"no_{who}_lost"] = (nothing, {(kind, role, None) for kind, role in had - has})
    used, use = ({kind for kind, row in rows.items() if not row.get("retired")} for rows in kinds)
    found["no_kind_retired"] = (nothing, {(kind, None, None) for kind in used - use})
    found["no_kind_taken_up"] = (nothing, {(kind, None, None) for kind in use - used})
    for theorem, part in (("same_retention", "retention_class"), ("same_source", "source_category")):
        both = ((kind, *(rows[kind].get(part) for rows in kinds)) for kind in set(kinds[0]) & set(kinds[1]))
        found[theorem] = (nothing, {each for each in both if each[1] != each[2]})
    asked, ask = (
        {each for each in TWO_FOR if {each, "everything"} & set(content.get("two_reviewers_for", ()))}
        for content in (before, after)
    )
    found["two_reviewers_kept"] = (nothing, {(each, None, None) for each in asked - ask})
    return found


def _having(row: dict[str, Any], right: str) -> set[str]:
    """The roles that have a right for a kind: those that are named, or all that may do so at all."""
    if right == "remove":
        return set(row.get("removers") or REMOVING)
    if right == "correct" and row.get("correctors"):
        return set(row["correctors"])
    return set() if right == "upload" and row.get("retired") else set(row.get("uploaders") or ADDING)


def _of_profiles(before: dict[str, Any], after: dict[str, Any]) -> dict[str, _Told]:
    """The theorems on the compliance profile, where either content has one."""
    if not before.get("profile") and not after.get("profile"):
        return {}
    refused: list[dict[str, Any]] = []
    held: list[dict[str, Any]] = []
    carried: list[set[tuple[str, str]]] = []
    permitted: list[dict[str, set[str]]] = []
    shared = set(_rules(before)) & set(_rules(after))
    for content in (before, after):
        of_questions: dict[str, Any] = {}
        of_answers: dict[str, Any] = {}
        values: dict[str, set[str]] = {}
        for rule in content.get("profile", ()):
            for about in _bounded(rule, shared):
                values.setdefault(about, set(rule["terms"])).intersection_update(rule["terms"])
            if rule["sort"] not in ("topic", "product"):
                continue
            for term in (" ".join(each.casefold().split()) for each in rule["terms"]):
                if rule["in_question"] == "refuse":
                    of_questions.setdefault(term, rule["key"])
                strictest = max(of_answers.get(term, "allow"), rule["in_answer"], key=EFFECTS.index)
                of_answers[term] = strictest
        permitted.append(values)
        refused.append(of_questions)
        held.append({term: effect for term, effect in of_answers.items() if effect != "allow"})
        carried.append(
            {
                (name, rule["text"])
                for rule in content.get("profile", ())
                if rule["sort"] == "disclaimer"
                for name in shared
                if not rule["intents"] or name in rule["intents"]
            }
        )

    def looser(one: dict[str, Any], other: dict[str, Any]) -> set[str]:
        return {each for each in one if EFFECTS.index(other.get(each, "allow")) < EFFECTS.index(one[each])}

    def answer(term: str) -> tuple[Any, ...]:
        return (term, held[0].get(term), held[1].get(term))

    def wider(one: dict[str, set[str]], other: dict[str, set[str]]) -> set[tuple[str, str]]:
        return {(each, value) for each in one for value in (other[each] - one[each] if each in other else {"any"})}

    nothing: set[tuple[Any, ...]] = set()
    return {
        "no_bound_widened": (nothing, {(each, None, value) for each, value in wider(*permitted)}),
        "no_bound_narrowed": (nothing, {(each, value, None) for each, value in wider(*reversed(permitted))}),
        "no_question_freed": (nothing, {(each, refused[0][each], None) for each in refused[0].keys() - refused[1]}),
        "no_question_stopped": (nothing, {(each, None, refused[1][each]) for each in refused[1].keys() - refused[0]}),
        "no_answer_freed": (nothing, {answer(each) for each in looser(held[0], held[1])}),
        "no_answer_stopped": (nothing, {answer(each) for each in looser(held[1], held[0])}),
        "no_disclaimer_gone": (nothing, {(name, text, None) for name, text in carried[0] - carried[1]}),
        "no_disclaimer_new": (nothing, {(name, None, text) for name, text in carried[1] - carried[0]}),
    }


def _bounded(rule: dict[str, Any], shared: set[str]) -> Iterator[str]:
    """What a bound of the profile holds of: "place sort intent"."""
    places = []
    if rule["sort"] in ("models", "regions", "sources", "research_modes"):
        places = ["writing"]
    elif rule["sort"] not in ("topic", "product", "disclaimer"):
        places += ["question"] * (rule["in_question"] == "refuse")
        places += ["unmarked"] * (rule["in_answer"] != "allow") + ["answer"] * (rule["in_answer"] == "block")
    for place in places:
        for name in shared & set(rule["intents"]) if rule["intents"] else shared:
            yield f"{place} {rule['sort']} {name}"


def _twice(names: Sequence[Any]) -> bool:
    return len(set(names)) < len(names)


def _rules(content: dict[str, Any]) -> dict[str, Any]:
    return {**{rule["name"]: rule for rule in content["intents"]}, "unrecognised": content["fallback"]}


def _cells(content: dict[str, Any]) -> set[tuple[str, str]]:
    budgeted = {row["kind"] for row in content["budgets"]}
    return {(name, kind) for name, rule in _rules(content).items() for kind in rule["kinds"] if kind in budgeted}


def _reached(side: dict[str, Any]) -> set[tuple[Any, ...]]:
    cells = _cells(side["content"])
    return {
        (role, scope, name, kind) for role, scopes in side["held"].items() for scope in scopes for name, kind in cells
    }


def _deciding(content: dict[str, Any]) -> dict[str, str]:
    """What decides which intent a question gets, each as JSON."""
    found = {f"setting:{name}": _json(value) for name, value in content["classifier"].items()}
    found.pop("setting:minimum_golden_accuracy")
    rules = _rules(content)
    for part in ("decisive_terms", "terms", "examples"):
        found.update({f"{part}:{name}": _json(rule[part]) for name, rule in rules.items() if part in rule})
    return {**found, "order": _json(list(rules))}


def _expanded(blocks: list[Any]) -> list[tuple[Any, ...]]:
    return [
        (role, scope, *cell)
        for block in blocks
        for role, scopes in block["places"]
        for scope in scopes
        for cell in ([(name, kind) for name, kinds in block["cells"] for kind in kinds] if block["cells"] else [()])
    ]


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":"))


# --- Running ----------------------------------------------------------------------------------------------------------


def verify(path: Path, checkpoint: Path | None, keys: Sequence[str] = (), witnesses: Sequence[str] = ()) -> Verifier:
    """Raises UnusableError."""
    export = Export(path)
    given = [parsed_key(line) for line in keys]
    known = given or export.keys
    held, held_note, trusted = None, "", given
    if checkpoint is not None:
        try:
            held_note = checkpoint.read_text(encoding="utf-8")
            held = opened_note(held_note, known)
        except (OSError, ValueError) as error:
            raise UnusableError(f"{checkpoint} is no checkpoint that can be trusted: {error}") from None
        if is_same_log(held.origin, export.origin) and held.size < export.first:
            raise UnusableError(f"the export begins at leaf {export.first}, and the checkpoint ends at {held.size}")
        if not given and not export.holds(checkpoint):
            # A key that the export names and that has signed what was kept apart from it is the log's.
            trusted = list(held.signers)
    named = [parsed_witness(line) for line in witnesses]
    verifier = Verifier(export, known, held, trusted, named, held_note)
    verifier.came_with_it = checkpoint is not None and export.holds(checkpoint)
    verifier.run()
    return verifier


def write_stamps(export: Export, folder: Path) -> None:
    """Each time stamp as SIZE.tsr beside SIZE.note, the note as the log alone signed it. Raises UnusableError."""
    for _, record in export.records("checkpoints.jsonl"):
        stamps = record.get("timestamps", []) if isinstance(record, dict) else []
        if not isinstance(stamps, list) or not stamps or not _is_count(record.get("size")):
            continue
        note, separator, signatures = str(record.get("note")).rpartition("\n\n")
        try:
            folder.mkdir(parents=True, exist_ok=True)
            text = note + separator + signatures.split("\n")[0] + "\n"
            (folder / f"{record['size']}.note").write_bytes(text.encode())
            for number, stamp in enumerate(stamps):
                name = f"{record['size']}{f'.{number}' if number else ''}.tsr"
                (folder / name).write_bytes(base64.b64decode(_text(stamp), validate=True))
        except (OSError, ValueError) as error:
            raise UnusableError(f"a time stamp can't be written: {error}") from None


def report(verifier: Verifier) -> dict[str, Any]:
    """The result as JSON has it."""
    export, held = verifier.export, verifier.checkpoint
    return {
        "result": verifier.result,
        "tenant": export.tenant,
        "origin": export.origin,
        "first": export.first,
        "size": verifier.next,
        "root": None if verifier.is_broken else verifier.tree.root().hex(),
        "checkpoint": None if held is None else held.size,
        "covered": verifier.covered,
        "tail": verifier.tail,
        "contents": export.has_contents,
        "witnesses": {name: {"size": size, "at": seconds} for name, (size, seconds) in verifier.witnessed.items()},
        "counts": verifier.counts,
        "totals": verifier.totals,
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
        lines.append("  That they are there is the export's own word.")
    if held is None:
        lines.append("  No checkpoint was given: a log cut off at its end, or written anew as a whole, would not show.")
    elif verifier.came_with_it:
        lines.append(
            f"  The checkpoint of {held.size} leaves came with the export: a log cut off at its end would not show."
        )
    else:
        lines.append(f"  Against a checkpoint of {held.size} leaves")
    if not verifier.trusted:
        lines.append("  No key and no checkpoint came apart from it: all of this is the export's own word.")
    else:
        lines.append(f"  Checkpoints that are trusted cover {verifier.covered} leaves")
        if verifier.tail:
            lines.append(
                f"  Unsigned tail: {verifier.tail} leaves from {verifier.next - verifier.tail} on have none yet."
            )
    lines += [
        f"  Witness {name} cosigned {size} leaves, {seconds} s after the beginning of 1970 (UTC)"
        for name, (size, seconds) in sorted(verifier.witnessed.items())
    ]
    shown: dict[str, int] = {}
    for finding in verifier.findings:
        shown[finding.kind] = shown.get(finding.kind, 0) + 1
        if shown[finding.kind] <= SHOWN:
            lines.append(finding.line())
    lines += [f"{kind:<22}and {count - SHOWN} more" for kind, count in verifier.totals.items() if count > SHOWN]
    total = sum(verifier.totals.values())
    findings = f"{total} finding{'s' if total > 1 else ''}"
    lines.append(
        {
            "intact": "Intact.",
            "failed": f"FAILED: {findings}.",
            "unproven": f"NOT PROVEN: {findings if total else 'nothing vouches for it'}. Nothing contradicts itself.",
        }[verifier.result]
    )
    return "\n".join(lines)


STATUSES = {"intact": 0, "failed": 1, "unproven": 3}


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        description="Verify an export of a Glassbox audit log.",
        epilog=(__doc__ or "").partition("[--json]\n")[2],
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("export", type=Path, help="the directory or .zip that `manage.py audit export` wrote")
    parser.add_argument("--checkpoint", type=Path, help="a signed checkpoint of this log that you kept")
    parser.add_argument("--key", action="append", default=[], help="the log's public key, NAME+MARK+KEY; repeatable")
    parser.add_argument("--witness", action="append", default=[], help="a witness's key, NAME+MARK+KEY; repeatable")
    parser.add_argument(
        "--proof", type=Path, metavar="FILE", help="a policy version's proof, to be held against the log"
    )
    parser.add_argument("--stamps", type=Path, metavar="DIR", help="write the time stamps of the export to DIR")
    parser.add_argument("--json", action="store_true", help="print the result as JSON")
    options = parser.parse_args(arguments)
    try:
        verifier = verify(options.export, options.checkpoint, options.key, options.witness)
        if options.proof is not None:
            try:
                verifier.judge_proof(options.proof.read_bytes())
            except OSError as error:
                raise UnusableError(f"{options.proof} can't be read ({error.strerror})") from None
        if options.stamps is not None:
            write_stamps(verifier.export, options.stamps)
    except UnusableError as error:
        print(f"It could not be checked: {error}.", file=sys.stderr)
        return 2
    print(json.dumps(report(verifier), indent=2) if options.json else in_words(verifier))
    return STATUSES[verifier.result]


if __name__ == "__main__":
    sys.exit(main())
