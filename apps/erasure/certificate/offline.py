#!/usr/bin/env python3
"""Verify a certificate of erasure. One file, the standard library alone, Python 3.9 or later.

    python verify_certificate.py FILE --key NAME+MARK+KEY [--target TYPE:ID[:PART]] [--json]

FILE is the certificate as Glassbox hands it out (JSON). KEY is the public key of the installation's log, as its
operator prints it (`manage.py audit log-key`); get it by another way than the certificate. So with this program:
whoever could change the certificate could change a copy of it that came along.

Ends with 0: the certificate holds (and what was asked for with --target is among what went); 1: it does not, or says
nothing of that; 2: it could not be checked.

What is checked, each for itself: the signature (Ed25519, RFC 8032) over all that is certified; that it does not
contradict itself; that the list of targets is what its manifest was made of; that the log's checkpoint is signed; that
the end of the erasure is in that log (RFC 6962); and that the log says of it what the certificate says (HMAC-SHA256).
A certificate brings along what was signed after restores of a backup, until the day on which it was downloaded: that is
checked likewise. It holds no personal data, and says nothing of whom it is about. That what it says was true is the
word of whoever signed it.
"""

from __future__ import annotations

import argparse
import base64
import binascii
import hashlib
import hmac
import json
import re
import sys
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

LARGEST_BYTES = 64 << 20
MOST_DIGITS = 4_300
COMMITMENT_DOMAIN = b"glassbox.audit.commitment.v1"
FORMATS = ("glassbox.erasure.certificate.v1", "glassbox.erasure.certificate.v2")
RESTORED_FORMAT = "glassbox.erasure.restored.v1"

_SIZE = re.compile(r"0|[1-9][0-9]{0,18}")
_NAME = re.compile(r"[^\s+]{1,200}")
_ID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")


class UnusableError(Exception):
    """What was given can't be checked at all."""


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


# --- Canonical JSON, and the tree (RFC 6962, section 2.1) -------------------------------------------------------------


def canonical(value: Any) -> bytes:
    """Names in order, no blanks, UTF-8. Raises ValueError: it has no such form."""
    text = json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":"), allow_nan=False)
    return text.encode()


def node(left: bytes, right: bytes) -> bytes:
    return hashlib.sha256(b"\x01" + left + right).digest()


def largest_power_below(count: int) -> int:
    return 1 << (count - 1).bit_length() - 1


def root_of(leaves: Sequence[bytes]) -> bytes:
    if not leaves:
        return hashlib.sha256(b"").digest()
    if len(leaves) == 1:
        return leaves[0]
    middle = largest_power_below(len(leaves))
    return node(root_of(leaves[:middle]), root_of(leaves[middle:]))


def root_by(path: Sequence[bytes], leaf: bytes, index: int, size: int) -> bytes:
    """The root of a tree that has the leaf at this place, if the path is its own. Raises ValueError: it is none."""
    if not 0 <= index < size or len(path) > 64:
        raise ValueError("there is no such position")
    if size == 1:
        if path:
            raise ValueError("the path is too long")
        return leaf
    if not path:
        raise ValueError("the path is too short")
    middle = largest_power_below(size)
    if index < middle:
        return node(root_by(path[:-1], leaf, index, middle), path[-1])
    return node(path[-1], root_by(path[:-1], leaf, index - middle, size - middle))


# --- The checks -------------------------------------------------------------------------------------------------------


def signature(document: Any, keys: Sequence[Key]) -> str:
    body = document["certificate"]
    told = opened_note(document["note"], keys)
    if told.origin != f"glassbox/{'restored' if is_supplement(body) else 'erasure'}/{body['tenant']}":
        return "the signature is not of a certificate of this tenant"
    if told.size != body["number"]:
        return "the signature is of a certificate with another number"
    if told.root != hashlib.sha256(canonical(body)).digest():
        return "the certificate was altered after it was signed"
    return ""


def is_supplement(body: Any) -> bool:
    return bool(body["format"] == RESTORED_FORMAT)


def consistent_supplement(body: Any) -> str:
    outcome, came_back = body["outcome"], sum(run["came_back"] for run in body["runs"])
    kept = sum(run["kept"] for run in body["runs"])
    if outcome not in ("nothing_came_back", "not_proven", "proved") or not body["runs"]:
        return "it names no erasure and its outcome"
    if any(run["came_back"] < 0 or run["kept"] < 0 for run in body["runs"]):
        return "it counts less than nothing"
    if any(store["remaining"] != 0 for store in body["stores"]):
        return "a store still held something that was to be removed"
    if bool(body["stores"]) != bool(came_back):
        return "the counts by store and by run of what came back differ"
    if outcome == "nothing_came_back" and (came_back or kept):
        return "it says that nothing came back, but counts something"
    if outcome == "proved" and not came_back:
        return "it says that what came back is proved gone, but counts nothing"
    if (body["why"] == "") is (outcome == "not_proven"):
        return "it is not proved and gives no reason, or it is proved and gives a reason"
    if outcome != "proved" and any(body[name] is not None for name in ("needles", "control", "scan")):
        return "it says that nothing was proved, but mentions a proof"
    return (proven(body) or consistent_standing(body)) if outcome == "proved" else ""


def consistent_standing(body: Any) -> str:
    for each in body["standing"]:
        if each["why"] == "too_short":
            if each["places"] != 0 or each["where"]:
                return "a name is too short to be searched for, but is said to appear somewhere"
        elif each["why"] != "stands" or not (each["places"] > 0 or each["elsewhere"] is True):
            return "a name is said to appear somewhere, but no place is given"
        if len(each["where"]) > each["places"]:
            return "a name is said to appear in more places than there are"
    return ""


def consistent(document: Any, _keys: Sequence[Key]) -> str:
    body = document["certificate"]
    if is_supplement(body):
        return consistent_supplement(body)
    if body["format"] not in FORMATS:
        return "this program does not know its format"
    targets = body["targets"]
    if any(store["remaining"] != 0 for store in body["stores"]):
        return "a store still held something that was to be removed"
    if targets["removed"] + targets["retained"] != targets["count"]:
        return "its targets do not add up"
    if sum(each["targets"] for each in body["retained"]) != targets["retained"]:
        return "something stayed, but no ground is given"
    redacted = body.get("redacted", ())
    if any(each["older"] < 1 or each["version"] <= each["older"] for each in redacted):
        return "a document is said to stay in a redacted version, but no earlier version was removed"
    if len({each["document"] for each in redacted}) != len(redacted):
        return "a document is said to stay in a redacted version twice"
    if sum(each["older"] for each in redacted) > body["subject"].get("document", 0):
        return "more versions are said to be replaced by redacted ones than there were documents to remove"
    if body.get("unproven"):
        told = body["unproven"]
        if any(body[name] is not None for name in ("needles", "control", "physical", "scan")):
            return "it says that no physical proof was made, but mentions one"
        if not told["code"] or not told["asked_by"] or told["asked_by"] == told["agreed_by"]:
            return "no physical proof was made, but no two people agreed to that with a reason"
        return ""
    # The first format does not say which names still stand.
    return proven(body) or ("" if body["format"] == FORMATS[0] else consistent_standing(body))


def proven(body: Any) -> str:
    control, scan = body["control"], body["scan"]
    if control["proves"] is not True or control["found"] != control["sources"]:
        return "the control before the removal did not find everything: the scan proves nothing"
    if control["planted_found"] != control["planted"]:
        return "the control did not find what was planted for it: the scan proves nothing"
    if body["physical"]["complete"] is not True:
        return "the physical phase was not completed"
    if scan["clean"] is not True or scan["hits"] != 0:
        return "the scan found something"
    return ""


_HASH = re.compile(r"[0-9a-f]{64}")


def manifest(document: Any, _keys: Sequence[Key]) -> str:
    body, listed = document["certificate"], document["targets"]
    if not isinstance(listed, list) or not all(isinstance(each, str) and _HASH.fullmatch(each) for each in listed):
        return "the list of targets contains something other than their hashes"
    if not listed and body["targets"]["count"]:
        return ""  # too long a list for the file: the root stands in what is signed
    if len(listed) != body["targets"]["count"]:
        return "the list of targets has another length than the certificate says"
    if root_of([bytes.fromhex(each) for each in listed]).hex() != body["manifest"]:
        return "the list of targets does not match the manifest"
    return ""


def checkpoint(document: Any, keys: Sequence[Key]) -> str:
    body = document["certificate"]
    told = opened_note(document["proof"]["checkpoint"], keys)
    named = (body["log"]["origin"], body["log"]["size"], body["log"]["root"])
    # A log that was put back from a backup is signed under a longer name from then on.
    of_whom = told.origin.partition("/restored/")[0]
    if (told.origin, told.size, told.root.hex()) != named or of_whom != f"glassbox/audit/{body['tenant']}":
        return "the checkpoint is not the one that the certificate names"
    return ""


def inclusion(document: Any, _keys: Sequence[Key]) -> str:
    log, proof = document["certificate"]["log"], document["proof"]
    if type(log["leaf"]) is not int or type(log["size"]) is not int:
        raise ValueError("a position in a log must be a whole number")
    path = [base64.b64decode(each, validate=True) for each in proof["path"]]
    leaf = hashlib.sha256(b"\0" + canonical(dict(proof["header"])) + canonical(dict(proof["commitments"]))).digest()
    wanted = bytes.fromhex(log["root"])
    try:
        included = root_by(path, leaf, log["leaf"], log["size"]) == wanted
    except ValueError:
        included = False
    return "" if included else "the event is not in the log of this checkpoint"


def content(document: Any, _keys: Sequence[Key]) -> str:
    body, proof = document["certificate"], document["proof"]
    header, core = proof["header"], proof["core"]["content"].encode()
    if (header["id"], header["tenant_id"], header["subject_id"], header["action"]) != (
        body["log"]["event"],
        body["tenant"],
        *(
            (body["restoration"], "audit.restoration.stated")
            if is_supplement(body)
            else (body["run"], "audit.removal.ended")
        ),
    ):
        return "the event is not the end of this run"
    salt = base64.b64decode(proof["core"]["salt"], validate=True)
    message = b"\0".join((COMMITMENT_DOMAIN, b"core", core))
    if hmac.new(salt, message, hashlib.sha256).hexdigest() != proof["commitments"]["core"]:
        return "the event's stated content is not what was written"
    said = parsed(core.decode())["statement"]
    if canonical(said) != canonical({name: value for name, value in body.items() if name not in ("number", "log")}):
        return "the log and the certificate differ about the end of the run"
    return ""


def supplements(document: Any, keys: Sequence[Key]) -> str:
    body, told = document["certificate"], document.get("restored", [])
    if not isinstance(told, list) or (told and is_supplement(body)):
        raise ValueError("supplements must be a list, and can't have supplements")
    for each in told:
        said = each["certificate"]
        if not is_supplement(said) or said["tenant"] != body["tenant"]:
            return "an included document is not a supplement of this tenant"
        if body["run"] not in [run["run"] for run in said["runs"]]:
            return "a supplement does not mention this erasure"
        for look in (signature, consistent, manifest, checkpoint, inclusion, content):
            problem = look(each, keys)
            if problem:
                return f"a supplement does not hold: {problem}"
    return ""


CHECKS: tuple[tuple[str, Callable[[Any, Sequence[Key]], str]], ...] = (
    ("Signed by a known key, and not altered since", signature),
    (
        "Consistent in itself: zero remaining; control complete and scan clean, or neither made",
        consistent,
    ),
    ("The list of targets matches the manifest", manifest),
    ("The log's checkpoint is signed, and is the one that the certificate names", checkpoint),
    ("The end of the run is in the log of this checkpoint", inclusion),
    ("The log and the certificate agree about the end of the run", content),
    ("What was signed after restores also holds, and concerns this erasure", supplements),
)


def checked(document: Any, keys: Sequence[Key]) -> list[tuple[str, str]]:
    """(label, problem) of each check; no problem: it holds."""
    found = []
    for label, look in CHECKS:
        try:
            problem = look(document, keys)
        except (KeyError, TypeError, ValueError, AttributeError, IndexError, RecursionError) as error:
            problem = f"the file lacks data that this needs, or has it in another form ({str(error)[:120]})"
        found.append((label, problem))
    return found


# --- Reading and running ----------------------------------------------------------------------------------------------


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


def parsed(text: str) -> Any:
    """JSON, and no name twice. Raises ValueError."""
    try:
        return json.loads(text, object_pairs_hook=_object, parse_constant=_constant, parse_int=_whole)
    except RecursionError:
        raise ValueError("it is nested too deeply") from None


def read(path: Path) -> Any:
    """Raises UnusableError."""
    try:
        with path.open("rb") as file:
            raw = file.read(LARGEST_BYTES + 1)
        if len(raw) > LARGEST_BYTES:
            raise UnusableError(f"{path} is too large to be a certificate")
        return parsed(raw.decode("utf-8"))
    except OSError as error:
        raise UnusableError(f"{path} can't be read: {error.strerror}") from None
    except ValueError as error:
        raise UnusableError(f"{path} is not a certificate: it is not JSON, or is ambiguous ({error})") from None


def target_hash(text: str) -> str:
    """Of TYPE:ID[:PART]. Raises UnusableError."""
    kind, _, rest = text.partition(":")
    id, _, part = rest.partition(":")
    if not kind or not _ID.fullmatch(id):
        raise UnusableError(f"--target {text}: write type:id, such as document:0199c1c4-....")
    return hashlib.sha256(b"\0" + canonical({"id": id, "part": part, "type": kind})).hexdigest()


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        description="Verify a certificate of erasure.",
        epilog=(__doc__ or "").partition("[--json]\n")[2],
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("file", type=Path, help="the certificate, as handed out")
    parser.add_argument("--key", action="append", required=True, help="the log's public key, NAME+MARK+KEY; repeatable")
    parser.add_argument(
        "--target", action="append", default=[], help="TYPE:ID[:PART]: check whether this was to be removed; repeatable"
    )
    parser.add_argument("--json", action="store_true", help="print the result as JSON")
    options = parser.parse_args(arguments)
    try:
        document, keys = read(options.file), [parsed_key(line) for line in options.key]
        wanted = {text: target_hash(text) for text in options.target}
    except UnusableError as error:
        print(f"It could not be checked: {error}.", file=sys.stderr)
        return 2
    found = checked(document, keys)
    holds = not any(problem for _, problem in found)
    listed = document.get("targets") if isinstance(document, dict) else None
    named = {text: isinstance(listed, list) and each in listed for text, each in wanted.items()}
    if options.json:
        checks = [{"check": label, "holds": not problem, "problem": problem} for label, problem in found]
        print(json.dumps({"holds": holds, "checks": checks, "targets": named}, indent=2))
        return 0 if holds and all(named.values()) else 1
    for label, problem in found:
        print(f"{'FAILS' if problem else 'holds'}  {label}" + (f"\n       {problem}" if problem else ""))
    for text, is_named in named.items():
        print(f"{'is' if is_named else 'is not'} among the targets: {text}")
    if not holds:
        print("This certificate does not hold: see what fails above.")
        return 1
    print("The certificate holds." + ("" if all(named.values()) else " It says nothing about what you asked."))
    for line in notes_of(document):
        print(line)
    return 0 if all(named.values()) else 1


def notes_of(document: dict[str, Any]) -> list[str]:
    """What whoever reads it must not pass over, of one that holds."""
    body = document["certificate"]
    if is_supplement(body):
        lines = [f"{run['run']}: {restored_line(body, run)}" for run in body["runs"]]
        return lines + [standing_line(each) for each in body["standing"] or ()]
    lines = [
        f"It says that a document stays in a redacted version: document:{each['document']}, version {each['version']}"
        for each in body.get("redacted", ())
    ]
    if body["targets"]["retained"]:
        lines.append(f"It says that {body['targets']['retained']} of {body['targets']['count']} targets were retained.")
    if body.get("unproven"):
        lines.append(
            f"It says that NO physical proof was made ({body['unproven']['code']}): every store counted zero; the "
            "disk was not searched."
        )
    lines += [standing_line(each) for each in body.get("standing") or ()]
    return lines + restored_lines([each["certificate"] for each in document.get("restored", [])], body["run"])


def standing_line(each: Any) -> str:
    """Of a name that could not be looked for."""
    name = f"Name no. {each['name']} of those that were to be searched for"
    if each["why"] == "too_short":
        return f"{name} is too short: the certificate says nothing about it."
    counted = Counter(f"{place['table']}.{place['column']}: {place['because']}" for place in each["where"])
    listed = ", ".join(f"{count} in {where}" for where, count in sorted(counted.items()))
    places = f"in {each['places']} place{'' if each['places'] == 1 else 's'} ({listed})" if each["places"] else ""
    elsewhere = "outside the data that this firm holds" if each["elsewhere"] else ""
    return (
        f"{name} STILL APPEARS {' and '.join(part for part in (places, elsewhere) if part)}; the certificate says "
        "nothing about it."
    )


def restored_lines(bodies: Sequence[Any], run: str) -> list[str]:
    """A sentence for each restore that concerns the run, the newest first."""
    newest: dict[str, Any] = {}
    for body in bodies:
        known = newest.get(body["restoration"])
        if known is None or known["end"] < body["end"]:
            newest[body["restoration"]] = body
    found = []
    for body in sorted(newest.values(), key=lambda each: str(each["times"]["restored"]), reverse=True):
        found += [restored_line(body, each) for each in body["runs"] if each["run"] == run]
    return found


def restored_line(body: Any, run: Any) -> str:
    times = body["times"]
    backup = f" (backup of {times['backup'][:10]})" if times["backup"] else ""
    when = f"{times['restored'][:10]}{backup}"
    kept = f"; {run['kept']} of its targets came back and stay under a legal hold" if run["kept"] else ""
    if not run["came_back"]:
        said = f"Restored on {when}; " + ("nothing else of it came back" if kept else "nothing of it came back")
    elif body["outcome"] == "proved":
        said = f"Proved again on {times['proved'][:10]}, after the restore of {when}"
    else:
        said = f"Restored on {when}, and removed again; NOT proven again ({body['why']})"
    return f"{said}{kept}."


if __name__ == "__main__":
    sys.exit(main())
