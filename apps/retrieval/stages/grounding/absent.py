"""Sentences that say only that the passages do not give something: true unless they do."""

from __future__ import annotations

import re
from typing import Final

from apps.filings.text.bindings import is_year, years_of
from apps.filings.text.numbers import read_numbers
from apps.retrieval.contracts import Finding, FindingType
from apps.retrieval.stages.grounding.evidence import Evidence, rows_named
from apps.retrieval.stages.grounding.wording import blank_places, word_terms

_SOURCE: Final = (
    r"(?:passages?|excerpts?|documents?|sources?|context|text|auszügen?|textstellen?|unterlagen|dokumenten?|passagen?)"
)
_GIVES: Final = (
    r"(?:giv\w+|stat\w+|provid\w+|contain\w*|mention\w*|disclos\w+|show\w*|specif\w+|report\w*|includ\w+|say|break\w*"
    r"|nenn\w+|genannt|enth[aä]lt\w*|angegeben|angaben?|ausgewiesen|geht|hervor)"
)
_NO: Final = r"(?:no|not|nor|neither|none|n['\u2019]t|nicht|kein\w*)"
_ABSENT: Final = re.compile(
    rf"\b{_SOURCE}\b[^,;:]{{0,30}}?\b{_NO}\b[^,;:]{{0,60}}\b{_GIVES}\b|\b{_SOURCE}\b[^,;:]{{0,30}}?\b{_GIVES}\s+{_NO}\b"
    rf"|\b{_NO}\b[^,;:]{{0,60}}\b{_GIVES}\b[^,;:]{{0,30}}\b(?:in|by|from|aus|den|der)\b[^,;:]{{0,20}}\b{_SOURCE}\b",
    re.IGNORECASE,
)
_SAYS_MORE: Final = re.compile(
    r"\b(?:because|since|as|but|although|while|so|which|weil|da|aber|obwohl|sodass)\b|[;:]", re.IGNORECASE
)
_GIVEN: Final = "the passages give it"
_ABSENT_THERE: Final = "not given in the passages"


def check_absence(sentence: str, written: str, evidence: Evidence) -> Finding | None:
    """Check "The passages give no figure for 2022": no row that it names, or that is asked for, has that year.

    Returns: None for any other sentence, and for one that says more than that.
    """
    language = evidence.analysis.language
    if _ABSENT.search(sentence) is None or _SAYS_MORE.search(sentence):
        return None
    if any(not is_year(each) for each in read_numbers(sentence, language)):
        return None
    said = frozenset(word_terms(blank_places(sentence), language))
    years = years_of(sentence) or frozenset(evidence.analysis.years)
    rows = rows_named(evidence, said) or rows_named(evidence, evidence.asked_words)
    given = any(not years or each.years & years for row in rows for each in row)
    return Finding(
        type=FindingType.STATEMENT,
        value=written,
        supported=not given,
        ref_id="",
        note=_GIVEN if given else _ABSENT_THERE,
    )
