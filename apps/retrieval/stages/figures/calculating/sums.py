"""Several figures that a question adds up without saying what their sum is called: "dividends plus buybacks"."""

from __future__ import annotations

import re
from collections.abc import Sequence
from decimal import Decimal
from typing import Final

from apps.retrieval.contracts import QueryAnalysis
from apps.retrieval.stages.figures.calculating.operands import (
    Operand,
    TimeSeries,
    find_time_series,
    worked_operand,
)
from apps.retrieval.stages.figures.calculating.ratios import WorkedRatio
from apps.retrieval.stages.figures.calculating.series import Series
from apps.retrieval.stages.figures.calculating.wording import wording_for

_BETWEEN: Final = re.compile(
    r"\s*(?:,\s*(?:and|und)?|\+|&|\b(?:plus|and|und|sowie|as\s+well\s+as)\b)\s*", re.IGNORECASE
)
_VIA: Final = re.compile(r".*\b(?:via|through|by|in|as|durch|als|\u00fcber)\s+", re.IGNORECASE)
"""What leads up to a name: "went back to shareholders via buybacks"."""
_MOST_PARTS: Final = 4


def find_operand(part: str, series: Sequence[Series], analysis: QueryAnalysis) -> TimeSeries | None:
    """Return what a part of a question names: a row, a measure, or the sum of several that it lists."""
    return find_time_series(part, series, analysis) or _find_sum(part, series, analysis)


def _find_sum(part: str, series: Sequence[Series], analysis: QueryAnalysis) -> TimeSeries | None:
    pieces = [each for each in _BETWEEN.split(part) if each.strip()]
    if not 1 < len(pieces) <= _MOST_PARTS:
        return None
    found = (
        find_time_series(piece, series, analysis) or find_time_series(_VIA.sub("", piece), series, analysis)
        for piece in pieces
    )
    held = [each for each in found if each is not None]
    labels = list(dict.fromkeys(each.label for each in held))
    if len(labels) < len(pieces) or any(each.percent for each in held):
        return None
    words = wording_for(analysis)

    def of(year: int) -> Operand | None:
        operands = [each for each in (time_series.of(year) for time_series in held) if each is not None]
        scales = {each.exponent for each in operands}
        if len(operands) < len(held) or len(scales) > 1:
            return None
        worked = WorkedRatio(
            value=sum((each.value for each in operands), Decimal(0)),
            percent=False,
            text=" + ".join(each.text for each in operands),
            exponent=next(iter(scales)),
            rows=tuple(dict.fromkeys(row for each in operands for row in each.rows)),
            refs=tuple(dict.fromkeys(ref for each in operands for ref in each.refs)),
        )
        return worked_operand(worked, "", labels, year, words)

    years = set.intersection(*(set(each.years) for each in held))
    return TimeSeries(
        label=" + ".join(labels),
        name=" + ".join(each.name for each in held),
        percent=False,
        years=tuple(year for year in sorted(years) if of(year) is not None),
        company=held[0].company,
        of=of,
    )
