"""Builds one context and prints it: run as a process of its own by test_context_bytes."""

from __future__ import annotations

import locale
import os
import sys
import time

from apps.intents.fund_house import FundHouse
from apps.retrieval.contracts import ContextBlock
from tests.retrieval.builders import (
    CAPEX_QUESTION,
    CASH_FLOWS,
    analysed,
    budget,
    candidate,
    context_of,
    document,
    entry,
)

PROSE = (
    "Größe, naïveté and “quotes” \u2013 1,577 €. The capital expenditure of the year was spent on property and plant "
    "in Zürich. İstanbul and straße sort elsewhere. Depreciation is explained in Note 7, with other items of the year. "
    "Purchases of plant rose in the fourth quarter; ﬁxed assets are measured at cost."
)
BUDGETS = (
    budget(FundHouse.RUN, label="Past run", cap_chars=260, position=1),
    budget(FundHouse.METHODOLOGY, label="Methodology", cap_chars=180, position=2),
    budget(FundHouse.REFERENCE_REPORT, label="Reference report", cap_chars=420, position=3),
)


def built() -> ContextBlock:
    """A context of three kinds with passages that compete, are cut, and are left out."""
    analysis = analysed(CAPEX_QUESTION, entry("Northwind", 2018), entry("Zürich Größe", 2018))
    run, method = document(8, kind="run", title="Run 8"), document(9, kind="methodology", title="Method")
    found = [
        candidate(CASH_FLOWS, 1, page=60),
        candidate(PROSE, 2, page=3, facts=run),
        candidate(f"{PROSE} Again: equipment, plant and property.", 3, page=4, facts=run),
        candidate("Capital expenditure is what is spent on property, plant and equipment.", 4, facts=method),
        *(
            candidate(f"Equipment {number} was bought for {number},577.", number, page=number)
            for number in range(5, 12)
        ),
    ]
    return context_of(analysis, found, budgets=BUDGETS, total_cap_chars=800)


if __name__ == "__main__":
    time.tzset()
    locale.setlocale(locale.LC_ALL, "")
    print(f"{os.environ['PYTHONHASHSEED']} {time.strftime('%Z', time.gmtime(0))}", file=sys.stderr)
    sys.stdout.buffer.write(built().text.encode())
