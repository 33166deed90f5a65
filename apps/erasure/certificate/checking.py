"""Whether a certificate's file is what it claims to be. Needs the file and a public key alone. Pure."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from apps.audit.canonical import NotCanonicalError, canonical_bytes, commitment, leaf_hash
from apps.audit.log.notes import InvalidNoteError, VerifyKey, opened
from apps.audit.log.tree import proves_inclusion, root_of
from apps.erasure.certificate.after_restore import is_supplement, says_restored
from apps.erasure.certificate.still_standing import says_standing

_ADDED: Final = ("number", "log")
FORMAT: Final = "glassbox.erasure.certificate.v2"
FORMAT_BEFORE: Final = "glassbox.erasure.certificate.v1"
_ENDED: Final = "audit.removal.ended"
_HASH: Final = re.compile(r"[0-9a-f]{64}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """problem: empty where it holds. is_open: it can't be told here; neither does it hold, nor has it failed."""

    label: str
    problem: str = ""
    is_open: bool = False

    @property
    def holds(self) -> bool:
        return not self.problem


def checked(document: Any, keys: Iterable[VerifyKey]) -> tuple[Check, ...]:
    """All checks, each for itself. Args: document: what the file holds, as JSON is read. keys: that may have signed.

    The certificate holds when all do.
    """
    known = tuple(keys)
    return tuple(_one(label, look, document, known) for label, look in _CHECKS)


def holds(checks: Iterable[Check]) -> bool:
    return all(check.holds for check in checks)


def fails(checks: Iterable[Check]) -> bool:
    """Whether one says that something is wrong, rather than that it can't be told here."""
    return any(check.problem and not check.is_open for check in checks)


def strictly_parsed(text: str) -> Any:
    """JSON that can be read in one way: no name twice in an object, no NaN. Raises ValueError."""
    try:
        return json.loads(text, object_pairs_hook=_object, parse_constant=_constant)
    except RecursionError:
        raise ValueError("it is nested too deeply") from None


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("a name appears twice in an object")
    return found


def _constant(name: str) -> Any:
    raise ValueError(f"{name} is not a JSON number")


_Look = Callable[[Mapping[str, Any], tuple[VerifyKey, ...]], str]


def _one(label: str, look: _Look, document: Any, keys: tuple[VerifyKey, ...]) -> Check:
    try:
        return Check(label=label, problem=look(document, keys))
    except (InvalidNoteError, NotCanonicalError) as error:
        return Check(label=label, problem=f"{error}")
    except (KeyError, TypeError, ValueError, AttributeError, IndexError, RecursionError):
        return Check(label=label, problem="the file lacks data that this needs, or has it in another form")


def _signature(document: Mapping[str, Any], keys: tuple[VerifyKey, ...]) -> str:
    body = document["certificate"]
    told = opened(document["note"], keys)
    if told.origin != f"glassbox/{'restored' if is_supplement(body) else 'erasure'}/{body['tenant']}":
        return "the signature is not of a certificate of this tenant"
    if told.size != body["number"]:
        return "the signature is of a certificate with another number"
    if told.root != hashlib.sha256(canonical_bytes(body)).digest():
        return "the certificate was altered after it was signed"
    return ""


def _says(document: Mapping[str, Any], keys: tuple[VerifyKey, ...]) -> str:
    body = document["certificate"]
    if is_supplement(body):
        return says_restored(body) or (_says_proven(body) or says_standing(body) if body["outcome"] == "proved" else "")
    if body["format"] not in (FORMAT, FORMAT_BEFORE):
        return "this release does not know its format"
    if any(store["remaining"] != 0 for store in body["stores"]):
        return "a store still held something that was to be removed"
    if body["targets"]["removed"] + body["targets"]["retained"] != body["targets"]["count"]:
        return "its targets do not add up"
    if sum(each["targets"] for each in body["retained"]) != body["targets"]["retained"]:
        return "something stayed, but no ground is given"
    if problem := _says_redacted(body):
        return problem
    if body.get("unproven"):
        return _says_without(body)
    return _says_proven(body) or ("" if body["format"] == FORMAT_BEFORE else says_standing(body))


def _says_proven(body: Mapping[str, Any]) -> str:
    if body["control"]["proves"] is not True or body["control"]["found"] != body["control"]["sources"]:
        return "the control before the removal did not find everything: the scan proves nothing"
    if body["control"]["planted_found"] != body["control"]["planted"]:
        return "the control did not find what was planted for it: the scan proves nothing"
    if body["physical"]["complete"] is not True:
        return "the physical phase was not completed"
    if body["scan"]["clean"] is not True or body["scan"]["hits"] != 0:
        return "the scan found something"
    return ""


def _says_redacted(body: Mapping[str, Any]) -> str:
    """Certificates of before do not say which documents stay in a redacted version."""
    redacted = body.get("redacted", ())
    if any(each["older"] < 1 or each["version"] <= each["older"] for each in redacted):
        return "a document is said to stay in a redacted version, but no earlier version was removed"
    if len({each["document"] for each in redacted}) != len(redacted):
        return "a document is said to stay in a redacted version twice"
    if sum(each["older"] for each in redacted) > body["subject"].get("document", 0):
        return "more versions are said to be replaced by redacted ones than there were documents to remove"
    return ""


def _says_without(body: Mapping[str, Any]) -> str:
    """It may say that no physical proof was made, and nothing then of one."""
    told = body["unproven"]
    if any(body[name] is not None for name in ("needles", "control", "physical", "scan")):
        return "it says that no physical proof was made, but mentions one"
    if not told["code"] or not told["asked_by"] or told["asked_by"] == told["agreed_by"]:
        return "no physical proof was made, but no two people agreed to that with a reason"
    return ""


def unproven_code(document: Any) -> str:
    """Why no physical proof was made, where the certificate says so; empty where it says that one was."""
    body = document.get("certificate") if isinstance(document, dict) else None
    told = body.get("unproven") if isinstance(body, dict) else None
    return str(told.get("code", "")) if isinstance(told, dict) else ""


def redacted_of(document: Any) -> tuple[str, ...] | None:
    """The documents of which a redacted version stays, each as `document:<id>, version 2`.

    None: the certificate does not say, as those of before this was said.
    """
    body = document.get("certificate") if isinstance(document, dict) else None
    told = body.get("redacted") if isinstance(body, dict) else None
    if told is None:
        return None
    return tuple(f"document:{each['document']}, version {each['version']}" for each in told)


def _manifest(document: Mapping[str, Any], keys: tuple[VerifyKey, ...]) -> str:
    body, listed = document["certificate"], document["targets"]
    if not isinstance(listed, list) or not all(isinstance(each, str) and _HASH.fullmatch(each) for each in listed):
        return "the list of targets contains something other than their hashes"
    if not listed and body["targets"]["count"]:
        return ""  # too long a list for the file: the root stands in what is signed
    if len(listed) != body["targets"]["count"]:
        return "the list of targets has another length than the certificate says"
    if root_of(bytes.fromhex(each) for each in listed).hex() != body["manifest"]:
        return "the list of targets does not match the manifest"
    return ""


def _checkpoint(document: Mapping[str, Any], keys: tuple[VerifyKey, ...]) -> str:
    body = document["certificate"]
    told = opened(document["proof"]["checkpoint"], keys)
    named = (body["log"]["origin"], body["log"]["size"], body["log"]["root"])
    # A log that was put back from a backup is signed under a longer name from then on (apps/audit/log/epochs.py).
    of_whom = told.origin.partition("/restored/")[0]
    if (told.origin, told.size, told.root.hex()) != named or of_whom != f"glassbox/audit/{body['tenant']}":
        return "the checkpoint is not the one that the certificate names"
    return ""


def _inclusion(document: Mapping[str, Any], keys: tuple[VerifyKey, ...]) -> str:
    log, proof = document["certificate"]["log"], document["proof"]
    if type(log["leaf"]) is not int or type(log["size"]) is not int:
        raise ValueError("a position in a log must be a whole number")
    path = [base64.b64decode(each, validate=True) for each in proof["path"]]
    included = proves_inclusion(
        leaf=leaf_hash(proof["header"], proof["commitments"]),
        index=log["leaf"],
        size=log["size"],
        path=path,
        root=bytes.fromhex(log["root"]),
    )
    return "" if included else "the event is not in the log of this checkpoint"


def _content(document: Mapping[str, Any], keys: tuple[VerifyKey, ...]) -> str:
    body, proof = document["certificate"], document["proof"]
    header, content = proof["header"], proof["core"]["content"].encode()
    if (header["id"], header["tenant_id"], header["subject_id"], header["action"]) != (
        body["log"]["event"],
        body["tenant"],
        *((body["restoration"], "audit.restoration.stated") if is_supplement(body) else (body["run"], _ENDED)),
    ):
        return "the event is not the end of this run"
    salt = base64.b64decode(proof["core"]["salt"], validate=True)
    if commitment(salt=salt, group="core", content=content).hex() != proof["commitments"]["core"]:
        return "the event's stated content is not what was written"
    said = strictly_parsed(content.decode())["statement"]
    if canonical_bytes(said) != canonical_bytes({key: value for key, value in body.items() if key not in _ADDED}):
        return "the log and the certificate differ about the end of the run"
    return ""


def _restored(document: Mapping[str, Any], keys: tuple[VerifyKey, ...]) -> str:
    """Certificates of before bring none along."""
    body, told = document["certificate"], document.get("restored", [])
    if not isinstance(told, list) or (told and is_supplement(body)):
        raise ValueError("supplements must be a list, and can't have supplements")
    for each in told:
        said = each["certificate"]
        if not is_supplement(said) or said["tenant"] != body["tenant"]:
            return "an included document is not a supplement of this tenant"
        if body["run"] not in [run["run"] for run in said["runs"]]:
            return "a supplement does not mention this erasure"
        for look in _OF_ONE:
            if problem := look(each, keys):
                return f"a supplement does not hold: {problem}"
    return ""


_OF_ONE: Final[tuple[_Look, ...]] = (_signature, _says, _manifest, _checkpoint, _inclusion, _content)
_CHECKS: Final[tuple[tuple[str, _Look], ...]] = (
    ("Signed by a known key, and not altered since", _signature),
    ("Consistent in itself: zero remaining; control complete and scan clean, or neither made", _says),
    ("The list of targets matches the manifest", _manifest),
    ("The log's checkpoint is signed, and is the one that the certificate names", _checkpoint),
    ("The end of the run is in the log of this checkpoint", _inclusion),
    ("The log and the certificate agree about the end of the run", _content),
    ("What was signed after restores also holds, and concerns this erasure", _restored),
)
