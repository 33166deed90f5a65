"""A copy of one tenant's log that an outsider can verify: a directory, or a .zip of the same files.

    manifest.json       format, tenant, origin, exported_at (UTC), verify_keys, contents (whether groups are opened),
                        scopes (ids of the tenant's scopes, a hint at what an event was recorded for),
                        first and size (leaves from first up to, but excluding, size), peaks: the roots, in hex, of the
                        whole subtrees that the leaves before first consist of, the largest first
    events.jsonl        one line per leaf, by index:
                          index, leaf (its stored hash, hex), event_id
                          header (object; null if the event is missing), commitments, actor_label
                          groups: for each present group, group -> {"salt": hex, "content": canonical JSON as text,
                          "terms": its search terms, if there are any}; null if the export is without contents;
                          {"damaged": why} if it does not decrypt.
                          A group that is missing is absent.
                          other_scopes: group -> scopes, for groups whose scopes differ from their event's
    checkpoints.jsonl   size, root (hex), note (signed, with the lines of witnesses) of each stored checkpoint, by size;
                        timestamps: answers of RFC 3161 services in base64, over the note without those lines
    checkpoint.txt      the newest of these notes
    subtrees.jsonl      level, index, hash (hex) of the stored roots of whole subtrees of 256**level leaves
    unsealed.jsonl      event_id, occurred_at, waits: events that have no leaf
    verify_log.py       the verifier: python verify_log.py DIRECTORY --checkpoint FILE --key KEY

An export without contents still contains the cores of events that authorise removals: they hold only ids, and without
them nobody could distinguish an erasure from a theft. An export with contents is as confidential as the log.
"""

from __future__ import annotations

import io
import json
import os
import shutil
import zipfile
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import IO, Any, Final

from django.conf import settings
from django.utils import timezone

from apps.audit.log.attesting import attested_note
from apps.audit.log.epochs import current_origin, is_same_log, origin_of
from apps.audit.log.storage import stored_size
from apps.audit.log.tree import Frontier
from apps.audit.models import Attestation, AttestationKind, Checkpoint, Subtree
from apps.audit.services import record
from apps.audit.verify.checkpoints import trusted_checkpoint
from apps.audit.verify.entries import Damaged, Entry, Opened
from apps.audit.verify.errors import VerificationError
from apps.audit.verify.reading import LogReader, snapshot
from apps.tenants.context import current_scope
from apps.tenants.ids import TenantId

FORMAT: Final = "glassbox.audit.export.v2"
_VERIFIER: Final = Path(__file__).with_name("offline.py")

# Opens a file of the export for writing.
_Opener = Callable[[str], AbstractContextManager[IO[str]]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Exported:
    """What was exported. first, size: the leaves from first up to, but excluding, size."""

    path: Path
    first: int
    size: int


def export_log(*, tenant: TenantId, output: Path, since: str | None = None, contents: bool = True) -> Exported:
    """Write the log to a directory, or to a .zip if the name ends so, and record the export.

    Args:   output: must not exist. When this returns, it is there and complete; when this raises, it is not there.
            since: a signed checkpoint: export only the events after it.
            contents: include the content of the groups. The caller must check that the requester may read all of it.
    Raises: VerificationError; KeyEncryptionKeyMissingError.
    Costs:  memory for one batch of events, however long the log is.
    """
    held = None if since is None else trusted_checkpoint(since)
    if held is not None and not is_same_log(held.origin, origin_of(tenant)):
        raise VerificationError("audit.checkpoint_of_another_log", origin=held.origin, wanted=origin_of(tenant))
    if output.exists():
        raise VerificationError("audit.export_target", path=output, problem="it exists")
    partial = output.with_name(f".{output.name}.{os.getpid()}.partial")
    try:
        with snapshot(tenant, "export the log"):
            start = Frontier()
            if held is not None:
                start = start.appended(LogReader(contents=False).hashes(held.size))
                if start.size != held.size or start.root != held.root:
                    raise VerificationError("audit.checkpoint_ahead", size=held.size)
            size = stored_size()
            record(
                action="audit.log.exported",
                core={"first": start.size, "size": size, "contents": contents},
                subject_type="tenant",
                subject_id=tenant,
            )
            with _target(partial, is_zip=output.suffix == ".zip") as opened:
                _write(opened, tenant=tenant, start=start, size=size, contents=contents)
        partial.rename(output)
    except OSError as error:
        raise VerificationError("audit.export_target", path=output, problem=error.strerror or error) from None
    finally:
        if partial.is_dir():
            shutil.rmtree(partial)
        elif partial.exists():
            partial.unlink()
    return Exported(path=output, first=start.size, size=size)


def _write(opened: _Opener, *, tenant: TenantId, start: Frontier, size: int, contents: bool) -> None:
    reader = LogReader(contents=contents)
    _lines(opened, "events.jsonl", (entry_values(entry, contents) for entry in reader.entries(start.size)))
    newest = ""
    with opened("checkpoints.jsonl") as file:
        told = attestations()
        for row in Checkpoint.objects.order_by("size").iterator():
            values = checkpoint_values(row, told)
            file.write(json_line(values))
            newest = str(values["note"])
    with opened("checkpoint.txt") as file:
        file.write(newest)
    subtrees = Subtree.objects.order_by("level", "index").iterator()
    _lines(opened, "subtrees.jsonl", (subtree_values(each) for each in subtrees))
    _lines(opened, "unsealed.jsonl", waiting_values(reader))
    with opened("verify_log.py") as file:
        file.write(verifier())
    with opened("manifest.json") as file:
        file.write(manifest(tenant=tenant, start=start, size=size, contents=contents))


def verifier() -> str:
    return _VERIFIER.read_text(encoding="utf-8")


def manifest(*, tenant: TenantId, start: Frontier, size: int, contents: bool) -> str:
    values = {
        "format": FORMAT,
        "tenant": str(tenant),
        "origin": current_origin(tenant),
        "exported_at": _time(timezone.now()),
        "verify_keys": [key.line() for key in settings.GLASSBOX_LOG_VERIFY_KEYS],
        "contents": contents,
        "scopes": sorted(str(each) for each in current_scope().scope_ids),
        "first": start.size,
        "size": size,
        "peaks": [peak.hex() for peak in start.peaks],
    }
    return json.dumps(values, indent=2) + "\n"


Attestations = Mapping[int, Sequence[Attestation]]


def attestations() -> Attestations:
    """Return the attestations of the log's checkpoints, by size. Costs: one query; each attestation is in memory."""
    found: dict[int, list[Attestation]] = defaultdict(list)
    for each in Attestation.objects.order_by("size", "kind", "by").iterator():
        found[each.size].append(each)
    return found


def checkpoint_values(row: Checkpoint, told: Attestations) -> dict[str, Any]:
    others = told.get(row.size, ())
    lines = [each.content for each in others if each.kind == AttestationKind.COSIGNATURE]
    stamps = [each.content for each in others if each.kind == AttestationKind.TIMESTAMP]
    return {
        "size": row.size,
        "root": bytes(row.root).hex(),
        "note": attested_note(row.note, lines),
        **({"timestamps": stamps} if stamps else {}),
    }


def subtree_values(row: Subtree) -> dict[str, Any]:
    return {"level": row.level, "index": row.index, "hash": bytes(row.hash).hex()}


def waiting_values(reader: LogReader) -> Iterator[dict[str, Any]]:
    for event_id, occurred_at, waits in reader.waiting():
        yield {"event_id": str(event_id), "occurred_at": _time(occurred_at), "waits": waits}


def entry_values(entry: Entry, contents: bool) -> dict[str, Any]:
    # Without contents the export omits the actor's name as well, but still shows whether the name was blanked.
    return {
        "index": entry.index,
        "leaf": entry.leaf.hex(),
        "event_id": str(entry.event_id),
        "header": entry.header,
        "commitments": entry.commitments,
        "actor_label": entry.label if contents or not entry.label else None,
        "groups": {name: _group(entry.groups[name], entry.terms.get(name, ())) for name in sorted(entry.groups)},
        **({"other_scopes": entry.scopes} if entry.scopes else {}),
    }


def _group(found: Opened | Damaged | None, terms: Sequence[str]) -> dict[str, Any] | None:
    match found:
        case Opened(salt=salt, content=content):
            try:
                return {"salt": salt.hex(), "content": content.decode(), **({"terms": list(terms)} if terms else {})}
            except UnicodeDecodeError:
                return {"damaged": "it decrypts, and is no text"}
        case Damaged(words=words):
            return {"damaged": words}
        case _:
            return None


def _lines(opened: _Opener, name: str, values: Iterable[dict[str, Any]]) -> None:
    with opened(name) as file:
        for value in values:
            file.write(json_line(value))


def json_line(value: dict[str, Any]) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")) + "\n"


def _time(moment: datetime) -> str:
    return moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


@contextmanager
def _target(path: Path, *, is_zip: bool) -> Iterator[_Opener]:
    """Create the output, readable only by this user, because an export is confidential."""
    if not is_zip:
        path.mkdir(mode=0o700, parents=True)
        yield lambda name: _opened(path / name)
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "wb") as raw, zipfile.ZipFile(raw, "w", zipfile.ZIP_DEFLATED) as archive:

        @contextmanager
        def member(name: str) -> Iterator[IO[str]]:
            with (
                archive.open(name, "w", force_zip64=True) as inner,
                io.TextIOWrapper(inner, encoding="utf-8", newline="\n") as text,
            ):
                yield text

        yield member


@contextmanager
def _opened(path: Path) -> Iterator[IO[str]]:
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "w", encoding="utf-8", newline="\n") as file:
        yield file
