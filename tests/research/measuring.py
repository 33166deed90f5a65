"""Judge made claims by facts, and count what came out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from apps.filings.models import Fact
from apps.research.claims.contracts import Finding, Verdict
from apps.research.claims.decide import decide
from apps.research.claims.facts_held import HeldFacts
from apps.research.claims.read import read_claims, read_text
from apps.research.claims.subjects import Held
from apps.retrieval.contracts import InventoryEntry
from tests.research.claim_sheet import Made
from tests.research.phrasings import SEEN


@dataclass(slots=True)
class Count:
    asked: int = 0
    right: int = 0
    twins: int = 0
    twins_right: int = 0
    twins_confirmed: int = 0
    verdicts: Counter[str] = field(default_factory=Counter)

    def line(self) -> str:
        return (
            f"right {self.right}/{self.asked} = {self.right / max(1, self.asked):.3f}, twins right "
            f"{self.twins_right}/{self.twins} = {self.twins_right / max(1, self.twins):.3f}, twins called confirmed "
            f"{self.twins_confirmed}/{self.twins} = {self.twins_confirmed / max(1, self.twins):.4f}"
        )


def held_of(facts: Sequence[Fact], entries: tuple[InventoryEntry, ...]) -> Held:
    labels = tuple(sorted({fact.label for fact in facts if not fact.concept}))
    parts = tuple(sorted({fact.dimension for fact in facts if fact.dimension}))
    return Held(entries=entries, labels=labels, parts=parts)


def check(text: str, facts: HeldFacts, held: Held, **more: object) -> list[Finding]:
    """Return what becomes of each claim of a text that facts decide."""
    claims = read_claims(read_text(text), lambda _: held, **more)  # type: ignore[arg-type]
    return [found for claim in claims if (found := decide(claim, facts)) is not None]


def verdict_of(findings: Sequence[Finding]) -> Verdict:
    """Return the verdict on a sentence: the worst of its claims'."""
    order = (
        Verdict.CONTRADICTED,
        Verdict.NOT_FOUND,
        Verdict.NOT_CHECKABLE,
        Verdict.PARTIALLY_SUPPORTED,
        Verdict.MOSTLY_ACCURATE,
        Verdict.CONFIRMED,
    )
    found = {each.verdict for each in findings}
    return next((each for each in order if each in found), Verdict.NOT_CHECKABLE)


def measure(
    made: Iterable[Made], facts: HeldFacts, held: Held
) -> tuple[dict[str, Count], list[tuple[Made, list[Finding]]]]:
    """Return the counts of seen and unseen phrasings, and the wrong ones of those that may be looked at."""
    counts: dict[str, Count] = {}
    wrong = []
    for each in made:
        findings = check(each.text, facts, held)
        verdict = verdict_of(findings)
        seen = each.phrasing < SEEN
        where = "seen" if seen else "unseen"
        for key in (where, f"{where} {each.language}", f"{where} {each.form} {each.twin}".strip()):
            count = counts.setdefault(key, Count())
            count.verdicts[verdict.value] += 1
            if each.twin:
                count.twins += 1
                count.twins_right += verdict in each.right
                count.twins_confirmed += verdict in (Verdict.CONFIRMED, Verdict.MOSTLY_ACCURATE)
            else:
                count.asked += 1
                count.right += verdict in each.right
        if verdict not in each.right and seen:
            wrong.append((each, findings))
    return counts, wrong
