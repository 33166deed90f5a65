"""A checked text as JSON: the same for the API, the page and the log's digest."""

from __future__ import annotations

from typing import Any

from apps.filings.numbers import plain_number
from apps.intents.contracts import FALLBACK_NAME
from apps.research.claims.contracts import Claim, Finding, Operand, Passage, Reach, When
from apps.research.claims.facts_held import period_label

Json = dict[str, Any]


def finding_json(finding: Finding) -> Json:
    """Return a finding with its claim, evidence and what was searched."""
    searched = finding.searched
    return {
        "claim": _claim(finding.claim),
        "verdict": finding.verdict.value,
        "reason": finding.reason,
        "expression": finding.expression,
        "facts": [_operand(each) for each in finding.operands],
        "passages": [_passage(each) for each in finding.passages],
        "searched": {
            "companies": list(searched.companies),
            "concepts": list(searched.concepts),
            "periods": list(searched.periods),
            "facts": searched.facts,
            "passages": searched.passages,
        },
        "correct": finding.correct,
        "suggestion": finding.suggestion,
        "intent": finding.intent or FALLBACK_NAME,
    }


def reach_json(reach: Reach) -> Json:
    return {
        "name": reach.intent or FALLBACK_NAME,
        "label": reach.label,
        "permitted": [kind.value for kind in reach.permitted],
        "withheld": [kind.value for kind in reach.withheld],
    }


def _claim(claim: Claim) -> Json:
    return {
        "sort": claim.sort.value,
        "start": claim.start,
        "end": claim.end,
        "text": claim.text,
        "number_start": claim.number_start,
        "number_end": claim.number_end,
        "company": claim.company,
        "compared_with": claim.other,
        "concept": claim.concept,
        "measure": claim.measure,
        "part": claim.part,
        "period": _when(claim.when),
        "base_period": _when(claim.base),
    }


def _when(when: When | None) -> str:
    if when is None:
        return ""
    return (
        when.ends_on.isoformat() if when.ends_on else period_label(when.period.fiscal_year, when.period.fiscal_quarter)
    )


def _operand(operand: Operand) -> Json:
    return {
        "company": operand.company,
        "concept": operand.concept,
        "row": operand.label,
        "column": operand.column,
        "period": operand.period,
        "value": plain_number(operand.value),
        "printed": operand.printed,
        "quote": operand.quote,
        **_place(operand.document_id, operand.document_title, operand.page),
    }


def _passage(passage: Passage) -> Json:
    return {
        "quote": passage.quote,
        "same_words": passage.same,
        **_place(passage.document_id, passage.document_title, passage.page),
    }


def _place(document_id: object, title: str, page: int) -> Json:
    return {
        "document": {"id": str(document_id), "title": title},
        "page": page,
        "url": f"/api/v1/documents/{document_id}/pages/{page}/",
    }
