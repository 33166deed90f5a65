"""Find the concept of a row by its label, and where that says too little, by its label and the line above it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from apps.corpus.extraction.statements import Statement
from apps.filings.contracts import FactUnit
from apps.filings.vocabulary.concepts import Concept, Period, find_by_name

AT_BEGINNING: Final = "cash at beginning of period"
_MARKS: Final = re.compile(
    r"(?<!\s)\s*+(?:\((?:\d{1,2}|[a-z]{1,2}|note[s]?\s[\d,\sand]{1,20}|see[^()]{0,40})\)|\*+|\u2020+|[\u00b9\u00b2\u00b3])",
    re.IGNORECASE,
)
_BRACKETS: Final = re.compile(r"(?<!\s)\s*+\([^()]*\)")
_TAIL: Final = re.compile(
    r"(?<!\s)\s*+(?:,\s+(?:net\s+of|less|including|excluding|at\s+cost|respectively|par)\b.*|[,;:\u2013\u2014-]++\s*+)$",
    re.IGNORECASE,
)
_LEAD: Final = re.compile(r"^(?:less|add|plus|memo|davon|abz\u00fcglich|zuz\u00fcglich)\s*:?\s+", re.IGNORECASE)
_OF_OWNERS: Final = re.compile(
    r"\b(?P<what>net\s+(?:income|earnings|loss)|profit)\b(?:\s*\([^()]*\))?\s+(?:attributable|available|applicable)\s+to\s+(?P<whom>.+)$",
    re.IGNORECASE,
)
_MINORITY: Final = re.compile(r"non-?\s?controlling|minorit|redeemable|nicht\s+beherrsch", re.IGNORECASE)
_BEFORE_MINORITY: Final = re.compile(
    r"^(?:consolidated\s+)?net\s+(?:income|earnings|loss)\b.{0,10}\s(?:including|before)\s.{0,30}non-?\s?controlling",
    re.IGNORECASE,
)
_ACTIVITIES: Final = re.compile(
    r"^(?:total\s+)?(?:net\s+)?cash\b(?!.*\bdiscontinued).*\b(?P<what>operati(?:ng|ons)|investing|financing)\b(?:\s+activities)?$",
    re.IGNORECASE,
)
_CASH_ENDS: Final = re.compile(
    r"^(?:total\s+)?cash\b.*\b(?P<which>beginning|start|end)\s+of\s+(?:the\s+)?(?:fiscal\s+)?(?:year|period|quarter)s?|^balance,?\s+(?:at\s+)?(?P<alone>beginning|end)\s+of\s+(?:the\s+)?(?:year|period)$",
    re.IGNORECASE,
)
_CASH_CHANGE: Final = re.compile(
    r"^(?:total\s+)?(?:net\s+)?\(?(?:increase|decrease|change)\)?.{0,25}\bin\s+cash\b", re.IGNORECASE
)
_PART_OF_CASH: Final = re.compile(r"\bclassified\b|\bheld\s+for\s+sale\b|\bdiscontinued\b", re.IGNORECASE)
_PAID: Final = re.compile(r"\b(?:cash\s+)?(?:paid|payments)\s+(?:during|for|in)\b|^cash\s+paid\b", re.IGNORECASE)
_TAX_OR_INTEREST: Final = re.compile(r"(?P<what>interest|income\s+tax(?:es)?)(?=$|,)", re.IGNORECASE)
_CASH_FX: Final = re.compile(
    r"\beffects?\b.{0,25}\b(?:exchange|currency)\b.{0,40}\bcash\b|\b(?:exchange|currency)\b.{0,30}\beffects?\b.{0,20}\bcash\b",
    re.IGNORECASE,
)
_EQUITY: Final = re.compile(
    r"^total\s+.{0,60}(?:share|stock)(?:holders|owners)?['\u2019]?s?['\u2019]?\s*(?:equity|deficit|investment)(?:\s*\([^()]*\))?$",
    re.IGNORECASE,
)
_LIABILITIES_AND: Final = re.compile(
    r"^total\s+liabilities,?\s.*\b(?:equity|deficit|capital|investment)\b(?:\s*\([^()]*\))?$|^total\s+capitali[sz]ation\s+and\s+liabilities$",
    re.IGNORECASE,
)
_PER_SHARE_NAMES: Final = re.compile(
    r"\b(?P<which>basic|diluted|unverw\u00e4ssert\w*|verw\u00e4ssert\w*)\b", re.IGNORECASE
)
_RESULT: Final = re.compile(
    r"^(?:basic|diluted|net\s+(?:income|earnings|loss)\b.*|(?:un)?verw\u00e4ssert\w*)$", re.IGNORECASE
)
_RATE: Final = re.compile(
    r"(?<!exchange )\brates?\b(?! (?:swap|risk|cap|derivative|lock))|\bratio\b|\bmargin\b|\byield\b"
    r"|\breturn on\b|\bgrowth\b"
    r"|\bpercent|\boccupancy\b|\bload factor\b|\bcombined\b|\bRO[A-Z]+\b|\bshare of\b|\butili[sz]ation\b",
    re.IGNORECASE,
)
_LONGEST_CHARS: Final = 200
_CHANGES: Final = re.compile(r"\bchanges?\s+in\b|\bver\u00e4nderung", re.IGNORECASE)


def find_concept(label: str, group: str, *, statement: str, unit: FactUnit) -> Concept | None:
    """Return the concept of a row; None if its label may mean another, or if it cannot be of such a row.

    Args: statement: a Statement's value, or "". unit: what its figures count.
    """
    if not label or len(label) > _LONGEST_CHARS:
        return None
    for name in _names(label, group, statement, unit):
        concept = find_by_name(name)
        if concept is not None and may_be(concept, statement, unit):
            return concept
    return None


def clean_label(label: str) -> str:
    """Return a label without marks of footnotes and what it says about its own amount."""
    return _TAIL.sub("", _MARKS.sub("", label)).strip()


def _names(label: str, group: str, statement: str, unit: FactUnit) -> Iterator[str]:
    plain, over = clean_label(label), clean_label(group[:_LONGEST_CHARS])
    if unit in (FactUnit.PER_SHARE, FactUnit.SHARES):
        yield from _of_shares(plain, over, unit)
    elif statement == Statement.CASH_FLOW_STATEMENT and (named := _in_cash_flows(plain, over)):
        yield named
    yield label
    yield plain
    yield _LEAD.sub("", plain)
    if "(" in plain:
        yield _BRACKETS.sub("", plain)
    if _BEFORE_MINORITY.search(plain):
        yield "net income"
    if owners := _OF_OWNERS.search(plain):
        minority = _MINORITY.search(owners["whom"]) is not None
        yield (
            "profit attributable to non-controlling interests"
            if minority
            else "profit attributable to owners of the parent"
        )
    if statement == Statement.BALANCE_SHEET:
        if _LIABILITIES_AND.search(plain):
            yield "total liabilities and equity"
        elif _EQUITY.search(plain):
            yield "equity"
    if over:
        yield f"{over} {plain}"
        yield f"{plain} {over}"


def _of_shares(plain: str, over: str, unit: FactUnit) -> Iterator[str]:
    """Yield the names of rows per share or of shares: "Basic" says which, the line above it says what."""
    which = _PER_SHARE_NAMES.search(plain) or _PER_SHARE_NAMES.search(over)
    if which is None:
        return
    if unit is FactUnit.PER_SHARE and not (_RESULT.match(plain) or _PER_SHARE_NAMES.search(plain)):
        return
    word = which["which"].lower()
    kind = "diluted" if word.startswith(("d", "v")) else "basic"
    if unit is FactUnit.PER_SHARE:
        said = f"{plain} {over}".lower()
        if not re.search(r"continuing|adjusted|non-gaap|core|dividend|pro forma|bereinigt", said):
            yield f"{kind} earnings per share"
    else:
        yield f"weighted average {kind} shares"


def _in_cash_flows(plain: str, over: str) -> str:
    if (ends := _CASH_ENDS.search(plain)) is not None:
        at_end = (ends["which"] or ends["alone"]).lower() == "end"
        return "cash at end of period" if at_end else "cash at beginning of period"
    if _CASH_FX.search(plain):
        return "effect of exchange rates on cash"
    if _PAID.search(over) and (paid := _TAX_OR_INTEREST.match(plain)):
        return "interest paid" if paid["what"].lower() == "interest" else "income taxes paid"
    if _CASH_CHANGE.search(plain) and not _PART_OF_CASH.search(plain):
        return "net change in cash"
    if activities := _ACTIVITIES.search(_BRACKETS.sub("", plain)):
        what = activities["what"].lower()
        return f"{'operating' if what.startswith('operati') else what} cash flow"
    return f"change in {plain}" if _CHANGES.search(over) and not _CHANGES.search(plain) else ""


def may_be(concept: Concept, statement: str, unit: FactUnit) -> bool:
    """Return whether a row of a statement can be of a concept: the name of a balance is a change among cash flows."""
    if (unit is FactUnit.PERCENT) is not (_RATE.search(concept.name) is not None):
        return False
    if unit is FactUnit.PER_SHARE:
        return "per share" in concept.name or "per unit" in concept.name
    if unit is FactUnit.SHARES:
        return "shares" in concept.name
    if "per share" in concept.name:
        return False
    ends_of_cash = concept.name in ("cash at beginning of period", "cash at end of period")
    if statement == Statement.BALANCE_SHEET:
        return concept.period is Period.INSTANT
    if statement == Statement.CASH_FLOW_STATEMENT:
        return concept.period is Period.DURATION or ends_of_cash
    return concept.period is Period.DURATION if statement else True
