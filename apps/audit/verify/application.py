"""Verify a log in the application: from the database, with the keys, against stored checkpoints and one from outside.

The verification compares each event with its leaf, the leaves with the stored subtrees and with every checkpoint, each
present group with its commitment, and each missing group with the sealed events that authorise removals. The offline
verifier (offline.py) does the same with an export and shares no line with this module; both must agree on every case.
"""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any, Final

from django.utils import timezone

from apps.audit.log.epochs import current_origin, is_same_log, log_owner
from apps.audit.log.notes import Checkpoint
from apps.audit.log.storage import stored_size
from apps.audit.models import Subtree
from apps.audit.registry import Group
from apps.audit.verify.authorised import Authorised, Removal
from apps.audit.verify.checkpoints import false_attestations, own_checkpoints, trusted_checkpoint
from apps.audit.verify.entries import Entry
from apps.audit.verify.findings import Checked, FindingClass, Findings, VerificationReport
from apps.audit.verify.mismatches import Mismatches, words_of
from apps.audit.verify.reading import LogReader, few_collections, snapshot
from apps.audit.verify.tree import ARITY, GrowingTree
from apps.tenants.context import current_scope
from apps.tenants.ids import TenantId

# A waiting event is sealed within seconds. An event without a leaf for longer than this is a finding.
SEALED_WITHIN: Final = timedelta(seconds=300)
# A checkpoint is signed every minute. If older events have none, signing has stopped.
SIGNED_WITHIN: Final = timedelta(hours=1)
Progress = Callable[[int, int], None]
"""(leaves that are done, leaves of the log): told every few thousand of them; what it raises ends the verification."""

_TOLD_EVERY: Final = 2_000
_OWN: Final = "the log's own checkpoint"
_GIVEN: Final = "the checkpoint that was given"


def verify_tenant(
    *,
    tenant: TenantId,
    checkpoint: str | None = None,
    since: bool = False,
    contents: bool = True,
    progress: Progress | None = None,
) -> VerificationReport:
    """Verify one tenant's log. The caller must check that the requesting person may do so.

    Args:   checkpoint: a signed note from outside the database. Without one, a log that was cut off at its end, or
                rewritten as a whole by somebody with the signing key, appears intact.
            since: verify only the events after that checkpoint, and only the hashes of the earlier leaves.
            contents: open every group that is present; otherwise only check which groups are present.
            progress: is called with the progress.
    Raises: VerificationError; KeyEncryptionKeyMissingError; ValueError: since without a checkpoint.
    Costs:  one snapshot, unless it is called within a transaction; about 50 us per event and 20 us per group.
    """
    held = None if checkpoint is None else trusted_checkpoint(checkpoint)
    if since and held is None:
        raise ValueError("since what? A checkpoint is wanted")
    with few_collections(), snapshot(tenant, "verify the log"):
        first = held.size if held and since else 0
        verification = _Verification(tenant, held, first=first, contents=contents, progress=progress)
        return verification.run()


class _Verification:
    def __init__(
        self, tenant: TenantId, held: Checkpoint | None, *, first: int, contents: bool, progress: Progress | None
    ) -> None:
        self._tenant, self._held, self._first, self._contents = tenant, held, first, contents
        self._progress = progress
        self._reader = LogReader(contents=contents)
        self._origin = current_origin(tenant)
        self._mismatches = Mismatches(current_scope().scope_ids)
        self._findings = Findings()
        self._expected: dict[int, list[tuple[bytes, str]]] = defaultdict(list)
        self._tree = GrowingTree(self._expected)
        self._next, self._is_broken = 0, False
        # The number of leaves below the newest checkpoint, and below the newest that fits. A difference is a finding.
        self._to_cover = self._covered = 0
        self._oldest_unsigned: datetime | None = None
        self._leaves = self._groups = self._opened = self._removed = self._checkpoints = self._unsealed = 0

    def run(self) -> VerificationReport:
        started_at, begun = timezone.now(), time.perf_counter()
        self._size = stored_size() if self._progress else 0
        self._tell()
        self._read_checkpoints()
        self._judge_attestations()
        self._authorised = Authorised(self._reader, covered=self._to_cover)
        self._judge_root()
        for hash in self._reader.hashes(self._first) if self._first else ():
            self._next += 1
            self._grow(hash)
            if self._next % _TOLD_EVERY == 0:
                self._tell()
        for entry in self._reader.entries(self._first):
            self._leaves += 1
            self._place(entry)
            self._judge_event(entry)
            if self._leaves % _TOLD_EVERY == 0:
                self._tell()
        self._tell()
        self._judge_sizes()
        self._judge_tail(started_at)
        self._judge_subtrees()
        self._judge_waiting(started_at)
        return VerificationReport(
            tenant_id=self._tenant,
            origin=self._origin,
            first=self._first,
            size=self._next,
            root=None if self._is_broken else self._tree.root,
            checkpoint=None if self._held is None else self._held.size,
            covered=self._covered,
            has_contents=self._contents,
            checked=Checked(
                leaves=self._leaves,
                groups=self._groups,
                opened=self._opened,
                removed=self._removed,
                checkpoints=self._checkpoints,
                unsealed=self._unsealed,
            ),
            findings=tuple(self._findings.kept),
            totals=dict(self._findings.totals),
            started_at=started_at,
            elapsed_s=time.perf_counter() - begun,
        )

    def _tell(self) -> None:
        if self._progress is not None:
            self._progress(self._next, self._size)

    def _read_checkpoints(self) -> None:
        for size, found in own_checkpoints():
            self._checkpoints += 1
            if isinstance(found, str):
                self._find(FindingClass.INVALID_CHECKPOINT, f"{_OWN}: {found}", size=size)
            else:
                self._expect(found, _OWN)
        if self._held is not None:
            self._expect(self._held, _GIVEN)

    def _judge_attestations(self) -> None:
        for size, by in false_attestations():
            words = f"what {by} is said to have attested is not this checkpoint"
            self._find(FindingClass.INVALID_ATTESTATION, words, size=size)

    def _expect(self, checkpoint: Checkpoint, whose: str) -> None:
        if not is_same_log(checkpoint.origin, self._origin):
            words = f"{whose} is of {checkpoint.origin}, and this log is {self._origin}"
            self._find(FindingClass.FOREIGN_CHECKPOINT, words, size=checkpoint.size)
            self._mismatches.tenants.add(log_owner(checkpoint.origin))
        else:
            self._expected[checkpoint.size].append((checkpoint.root, whose))
            self._to_cover = max(self._to_cover, checkpoint.size)

    def _place(self, entry: Entry) -> None:
        if entry.index == self._next:
            self._next += 1
            self._grow(entry.leaf)
        elif entry.index > self._next:
            words = f"leaves {self._next} to {entry.index - 1} are not there"
            self._find(FindingClass.MISSING_LEAF, words, index=self._next)
            self._next, self._is_broken = entry.index + 1, True
        else:
            words = "its place in the log is taken"
            self._find(FindingClass.EXTRA_LEAF, words, index=entry.index, event_id=entry.event_id)
            self._is_broken = True

    def _grow(self, leaf: bytes) -> None:
        if not self._is_broken:
            self._tree.append(leaf)
            if self._tree.is_at_stop:
                self._judge_root()

    def _judge_root(self) -> None:
        size = self._tree.size
        for root, whose in self._expected.get(size, ()):
            if root == self._tree.root:
                self._covered = size
            else:
                words = f"the log's first {size} leaves are not those of {whose}"
                self._find(FindingClass.INCONSISTENT, words, size=size)

    def _judge_event(self, entry: Entry) -> None:
        if not entry.is_there:
            self._find_in(entry, FindingClass.MISSING_EVENT, "its leaf is there, the event is gone")
            return
        if not entry.is_sealed:
            self._find_in(entry, *self._mismatches.told(entry))
        elif entry.index >= self._to_cover:
            self._oldest_unsigned = min(entry.moment, self._oldest_unsigned or entry.moment)
        for group in sorted(entry.known.keys() | entry.groups.keys() | {str(Group.ACTOR)}):
            self._judge_group(entry, group, str(entry.event_id))

    def _judge_group(self, entry: Entry, group: str, event: str) -> None:
        removal = self._authorised.removal_of(event, group, index=entry.index)
        if group in entry.groups:
            self._groups += 1
            if group in entry.scopes:
                now, before = entry.scopes[group], [str(each) for each in entry.scope_ids]
                self._find_in(entry, FindingClass.ALTERED_SCOPES, words_of(now, before), group)
            self._judge_present(entry, group)
            if removal is Removal.AUTHORISED:
                words = "its removal was authorised, and it is still there"
                self._find_in(entry, FindingClass.INCOMPLETE_ERASURE, words, group)
            return
        if group not in entry.known:
            # This event was damaged before the database refused such events. A removal that names the group disowns the
            # event.
            if removal is not Removal.AUTHORISED:
                words = "it was written without the group that says who acted"
                self._find_in(entry, FindingClass.UNVOUCHED_EVENT, words)
                return
        else:
            self._removed += 1
        if removal is Removal.UNSIGNED:
            words = "it is gone, and no signed checkpoint covers the event that authorises that"
            self._find_in(entry, FindingClass.UNSIGNED_REMOVAL, words, group)
        elif removal is Removal.UNAUTHORISED:
            words = "it is gone, and no later sealed event authorises that"
            self._find_in(entry, FindingClass.UNAUTHORISED_REMOVAL, words, group)
        elif group == Group.ACTOR and entry.label:
            words = "its removal was authorised; the name stands by the event"
            self._find_in(entry, FindingClass.INCOMPLETE_ERASURE, words, group)

    def _judge_present(self, entry: Entry, group: str) -> None:
        if group not in entry.known:
            words = "it is there, and the event was written without it"
            self._find_in(entry, FindingClass.UNKNOWN_GROUP, words, group)
        elif self._contents:
            problem = entry.problem(group)
            if problem:
                self._find_in(entry, FindingClass.ALTERED_GROUP, problem, group)
                return
            self._opened += 1
            if not entry.has_its_terms(group):
                words = "what it is searched by, and what the eraser goes by, is not what it says"
                self._find_in(entry, FindingClass.ALTERED_TERMS, words, group)

    def _judge_sizes(self) -> None:
        for size, expected in sorted(self._expected.items()):
            for _, whose in expected if size > self._next else ():
                words = f"the log has {self._next} leaves, and {whose} has {size}"
                self._find(FindingClass.TRUNCATED, words, size=size)

    def _judge_tail(self, now: datetime) -> None:
        if self._oldest_unsigned is not None and now - self._oldest_unsigned > SIGNED_WITHIN:
            words = "no signed checkpoint covers the events from here on, and one should have been signed"
            self._find(FindingClass.UNSIGNED_TAIL, words, index=max(self._to_cover, self._first))

    def _judge_subtrees(self) -> None:
        computed = self._tree.subtrees
        for row in Subtree.objects.order_by("level", "index").iterator():
            right = computed.pop((row.level, row.index), None)
            if right is None and self._is_broken:
                continue
            if right != bytes(row.hash):
                words = f"the stored root of level {row.level}, number {row.index}"
                self._find(FindingClass.WRONG_SUBTREE, words, index=row.index * ARITY**row.level)
        for level, index in sorted(computed):
            words = f"no root of level {level}, number {index} is stored"
            self._find(FindingClass.WRONG_SUBTREE, words, index=index * ARITY**level)

    def _judge_waiting(self, now: Any) -> None:
        for event_id, occurred_at, waits in self._reader.waiting():
            self._unsealed += 1
            if not waits or now - occurred_at > SEALED_WITHIN:
                words = "it has no leaf, and should have one by now"
                self._find(FindingClass.UNSEALED, words, event_id=event_id)

    def _find_in(self, entry: Entry, kind: FindingClass, words: str, group: str | None = None) -> None:
        self._find(kind, words, index=entry.index, event_id=entry.event_id, group=group)

    def _find(self, kind: FindingClass, words: str, **place: Any) -> None:
        self._findings.add(kind, words, **place)
