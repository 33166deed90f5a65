"""How many claims get the right verdict: made of the suite's own documents, each with its contradicting twins."""

from __future__ import annotations

import json
import os

from apps.research.claims.facts_held import HeldFacts
from tests.research.claim_sheet import make_claims
from tests.research.measuring import held_of, measure
from tests.research.sample_facts import FOLDER, entries_of, sample_facts

LEAST_RIGHT = 0.90
MOST_CONFIRMED = 0.01


def test_claims_made_of_facts_get_the_right_verdict(capsys: object) -> None:
    facts = sample_facts()
    rows = [json.loads(line) for line in (FOLDER / "documents.jsonl").read_text(encoding="utf-8").splitlines()]
    made = make_claims(facts, {row["company"]: row["language"] for row in rows})
    counts, wrong = measure(made, HeldFacts(facts), held_of(facts, entries_of(facts)))
    for name, count in sorted(counts.items()):
        print(f"{name:32} {count.line()}  {dict(count.verdicts)}")
    if os.environ.get("SHOW_WRONG"):
        for each, findings in wrong[: int(os.environ["SHOW_WRONG"])]:
            print(each.form, each.twin, "|", each.text)
            for found in findings:
                claim = found.claim
                print(
                    "     ",
                    found.verdict.value,
                    claim.sort.value,
                    claim.company,
                    claim.concept or claim.measure,
                    claim.when and claim.when.period.label,
                    claim.number and claim.number.text,
                    claim.direction,
                    found.reason,
                    claim.named,
                    found.expression,
                )
    assert len(made) >= 400
    for where in ("seen", "unseen"):
        count = counts[where]
        assert count.right / count.asked >= LEAST_RIGHT
        assert count.twins_confirmed / count.twins <= MOST_CONFIRMED
