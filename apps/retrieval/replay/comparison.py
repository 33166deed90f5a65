"""Laying a run beside the record, passage by passage. Pure."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from apps.retrieval.replay.contracts import Hit, HitShift, HitState


def hit_shifts(then: Sequence[Hit], now: Sequence[Hit], *, why_gone: Callable[[Hit], str]) -> tuple[HitShift, ...]:
    """Every passage of either, once: those of then in their order, then the new ones in theirs.

    A passage is the same where its id, its rank, its text and whether it stood in the context are. One that keeps all
    but its text is told as moved, with `changed`.

    Args: why_gone: what is known of a passage of then that was not found now.
    """
    by_id = {hit.chunk_id: hit for hit in now}
    known = {hit.chunk_id for hit in then}
    shifts = [_shift(hit, by_id.get(hit.chunk_id), why_gone) for hit in then]
    shifts.extend(HitShift(state=HitState.NEW, then=None, now=hit) for hit in now if hit.chunk_id not in known)
    return tuple(shifts)


def _shift(then: Hit, now: Hit | None, why_gone: Callable[[Hit], str]) -> HitShift:
    if now is None:
        return HitShift(state=HitState.GONE, then=then, now=None, why=why_gone(then))
    # A hit whose text was not loaded, then or now, has no digest to compare.
    changed = bool(then.content_sha256 and now.content_sha256) and then.content_sha256 != now.content_sha256
    still = not changed and (then.rank, then.in_context) == (now.rank, now.in_context)
    return HitShift(state=HitState.SAME if still else HitState.MOVED, then=then, now=now, changed=changed)
