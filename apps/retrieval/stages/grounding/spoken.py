"""A sentence whose figures are bound, and what became of each."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from apps.filings.text.numbers import Number
from apps.retrieval.contracts import FindingType
from apps.retrieval.stages.figures.in_passages import Figure
from apps.retrieval.stages.grounding.clauses import Clause
from apps.retrieval.stages.grounding.evidence import Evidence, Said

NOWHERE: Final = "in no cited passage"
FROM_QUESTION: Final = "from the question"
OF_ANOTHER_COMPANY: Final = "of another company"
IN_ANOTHER_ROW: Final = "in another row"
# Words with which a negative figure of a source may be written as a positive one in prose, and the other way round.
OUTFLOW: Final = re.compile(
    r"\b(?:purchase|payment|paid|repay|redemption|dividend|repurchase|acquisition|expenditure|spen[dt]|used|outflow"
    r"|expense|cost|loss|decrease|decline|reduction|deficit|charge|addition|distribution|outlay|auszahlung|verlust|aufwand|abgang)",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Bound:
    """What became of one figure of a sentence.

    figure: the cell or the place in a sentence where it stands; None if it stands nowhere, or needs none.
    pair: for a change, the later and the earlier figure of which it is the difference.
    """

    number: Number
    supported: bool
    note: str
    figure: Figure | None = None
    ref_id: str = ""
    type: FindingType = FindingType.NUMBER
    pair: tuple[Figure, Figure] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Spoken:
    """A sentence whose figures are bound: its text, its figures with their clauses, and what was said before it.

    quoted: what stands in it between quotation marks, which `text` leaves out.
    """

    text: str
    numbers: tuple[Number, ...]
    clauses: dict[Number, Clause]
    evidence: Evidence
    said: Said
    quoted: str = ""


def reference_years(spoken: Spoken) -> frozenset[int]:
    """Return the years that are meant where a sentence names none: those asked for, or of the sentence before."""
    return (
        frozenset(spoken.evidence.analysis.years)
        or spoken.said.years
        or frozenset(year for each in spoken.evidence.passages if (year := each.chunk.document.fiscal_year) is not None)
    )
