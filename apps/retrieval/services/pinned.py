"""Questions that follow from another: they keep its intent, and reach no kind that it may not reach."""

from __future__ import annotations

from dataclasses import dataclass, replace

from apps.corpus.kinds import Kind
from apps.intents.contracts import IntentDecision, KindGrant, PolicySnapshot, RecordingMode
from apps.intents.gate import gate
from apps.intents.profile.means import DIRECT


@dataclass(frozen=True, slots=True, kw_only=True)
class Pinned:
    """The intent of the question that others follow from, and the bounds that hold for all of them.

    kinds: what they may reach at most. The policy in force can only take away from it.
    recording_mode: of the first question; the policy in force can only make it stricter.
    research_mode: in which all of them are asked.
    """

    decision: IntentDecision
    kinds: frozenset[Kind]
    recording_mode: RecordingMode
    research_mode: str = DIRECT


class PinnedGate:
    """Compliance gate 1 for a question that follows from another one: it is not classified again."""

    def __init__(self, snapshot: PolicySnapshot, pinned: Pinned) -> None:
        self._snapshot, self._pinned = snapshot, pinned

    def classify(self, text: str) -> IntentDecision:
        """Return the first question's decision, whatever this text says."""
        return self._pinned.decision

    def grant(self, decision: IntentDecision) -> KindGrant:
        """Return what the policy permits now of what the first question might reach."""
        return narrow(gate(self._pinned.decision, self._snapshot), self._pinned)


def narrow(grant: KindGrant, pinned: Pinned) -> KindGrant:
    """Return the grant without the kinds that the first question might not reach, and with the stricter recording."""
    taken = tuple(kind for kind in grant.permitted if kind not in pinned.kinds)
    modes = (grant.recording_mode, pinned.recording_mode)
    return replace(
        grant,
        permitted=tuple(kind for kind in grant.permitted if kind in pinned.kinds),
        withheld=(*grant.withheld, *taken),
        budgets=tuple(each for each in grant.budgets if each.kind in pinned.kinds),
        recording_mode=RecordingMode.HASH_ONLY if RecordingMode.HASH_ONLY in modes else grant.recording_mode,
    )
