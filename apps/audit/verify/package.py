"""The evidence of a log as a download: the files that export.py writes without contents, made while they are sent.

Each part is read in a separate transaction. The leaves that existed at the beginning never change, and a group that is
removed in the meantime is removed by an authorised removal, so the copy verifies like any other.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import partial
from typing import Final

from apps.audit.log.storage import stored_size
from apps.audit.log.tree import Frontier
from apps.audit.models import Checkpoint, Subtree
from apps.audit.services import record
from apps.audit.verify.export import (
    attestations,
    checkpoint_values,
    entry_values,
    json_line,
    manifest,
    subtree_values,
    verifier,
    waiting_values,
)
from apps.audit.verify.reading import BATCH, LogReader
from apps.tenants.context import current_scope
from apps.tenants.streaming import Part

README: Final = """list.csv, list.jsonl   the events as they were filtered, for reading
log/                   the whole log of the tenant, without contents: headers, commitments, checkpoints
log/checkpoint.txt     its newest signed checkpoint
log/verify_log.py      the verifier; it needs Python 3.11 and nothing of this installation

To check that nothing was changed, removed or put in:

    python log/verify_log.py log --checkpoint FILE --key KEY

with a checkpoint that you kept from before and the key of the log (manage.py audit log-key), neither of which came with
this file: whoever could have changed the log could have changed those too. An event of the lists is the line of
log/events.jsonl with its event_id; its commitments are the same in both.
"""


def evidence(*, folder: str = "log/") -> Mapping[str, Iterable[Part]]:
    """Return the files of the log by name, in parts. The download is recorded in the open transaction.

    It needs all of the tenant's scopes. Costs: one part of 2,000 leaves in memory.
    """
    tenant, size = current_scope().tenant_id, stored_size()
    record(
        action="audit.log.exported",
        core={"first": 0, "size": size, "contents": False},
        subject_type="tenant",
        subject_id=tenant,
    )
    signed = Checkpoint.objects.filter(size__lte=size)

    def page(first: int) -> bytes:
        entries = LogReader(contents=False).page(first, min(first + BATCH, size))
        return _lines(entry_values(each, False) for each in entries)

    def newest() -> bytes:
        row = signed.order_by("-size").first()
        return str(checkpoint_values(row, attestations())["note"]).encode() if row else b""

    def checkpoints() -> bytes:
        told = attestations()
        return _lines(checkpoint_values(each, told) for each in signed.order_by("size").iterator())

    files: dict[str, Iterable[Part]] = {
        "events.jsonl": [partial(page, first) for first in range(0, size, BATCH)],
        "checkpoints.jsonl": [checkpoints],
        "checkpoint.txt": [newest],
        "subtrees.jsonl": [
            lambda: _lines(subtree_values(each) for each in Subtree.objects.order_by("level", "index").iterator())
        ],
        "unsealed.jsonl": [lambda: _lines(waiting_values(LogReader(contents=False)))],
        "verify_log.py": [verifier().encode],
        "manifest.json": [lambda: manifest(tenant=tenant, start=Frontier(), size=size, contents=False).encode()],
    }
    return {f"{folder}{name}": parts for name, parts in files.items()}


def _lines(values: Iterable[dict[str, object]]) -> bytes:
    return "".join(map(json_line, values)).encode()
