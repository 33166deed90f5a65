"""The one door to the verdicts over facts."""

from __future__ import annotations

from decimal import Decimal

from apps.research.claims.comparing import TOLERANCE
from apps.research.claims.contracts import Claim, ClaimSort, Finding
from apps.research.claims.facts_held import HeldFacts
from apps.research.claims.judge import IN_WORDS, doubtful, judge_value
from apps.research.claims.judge_changes import judge_change, judge_companies, judge_extreme


def decide(claim: Claim, held: HeldFacts, *, tolerance: Decimal = TOLERANCE) -> Finding | None:
    """Return what becomes of a claim by the facts; None for one in words alone, which passages may quote."""
    unsaid = doubtful(claim)
    if unsaid is not None or claim.sort in IN_WORDS:
        return unsaid
    if claim.sort is ClaimSort.SUPERLATIVE:
        return judge_extreme(claim, held)
    if claim.sort is ClaimSort.COMPARISON:
        return judge_companies(claim, held)
    if claim.sort is ClaimSort.CHANGE:
        return judge_change(claim, held, tolerance=tolerance)
    return judge_value(claim, held, tolerance=tolerance)
