"""What the honest reader derives passes the check of the worker, whatever the document says.

A document whose graph is refused can't be read at all, so this is tried over sentences that are drawn together.
"""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from apps.corpus.extraction import extract
from apps.filings.graph import derivation
from apps.filings.graph.contracts import EntityType, ReadMention

PARTS = (
    "We expect between 520 and 560 million euros.",
    "Die Spanne liegt zwischen 520 und 560 Mio. EUR, also 7.600 bis 7.900 TEUR.",
    "The rate rose from 3 to 5 per cent, and by 2-3 % after that.",
    "The cap is 50,000 to 60,000 euros a year.",
    "On 3 or 4 March 2024 the boards of Velden Cranes plc and of Ostrava Hoists Ltd. met.",
    "Velden Cranes plc (the \u201cCompany\u201d) acquired Ostrava Hoists Ltd. for $12 million to $13 million.",
    "Mr. Cook and Mrs. Cook met Timothy Cook. Tim Cook is its Chief Executive Officer.",
    "See Note 3 and Note 12. \u201cNet Debt\u201d means what Note 3 says.",
    "Regulation (EU) 2016/679, Art. 17 GDPR and \u00a7 25a KWG apply in Germany and in the U.S.",
    "The Company, the Company and Co. KG; A.B. & C. GmbH & Co. KG aA.",
    "AutoDrive\u00ae and Form 10-K/A, Annual Report 2023.",
    "| Umsatz | 1.200 | 1.300 |",
)


@given(
    parts=st.lists(st.sampled_from(PARTS), min_size=1, max_size=8),
    joint=st.sampled_from((" ", "\n\n", "\n\n# Heading\n\n", ", ")),
    company=st.sampled_from(("", "Velden Cranes plc", "Cook", "Company")),
    language=st.sampled_from(("en", "de")),
)
def test_what_is_derived_passes_the_check(parts: list[str], joint: str, company: str, language: str) -> None:
    extracted = extract(joint.join(parts).encode(), filename="drawn.md")
    about = cast(Any, SimpleNamespace(company=company))
    derived = derivation.derive(b"", extracted, about, language)
    derivation.check(cast(Any, derived.items), {page.number: page for page in extracted.pages}, "text/markdown")


@pytest.mark.parametrize("text", ["Sales of between 520 and 560 million euros.", "A cap of 50,000 to 60,000 euros."])
def test_an_amount_whose_unit_stands_elsewhere_takes_nothing_else_with_it(text: str) -> None:
    extracted = extract(f"{text} Velden Cranes plc grew.".encode(), filename="range.md")
    derived = derivation.derive(b"", extracted, cast(Any, SimpleNamespace(company="")), "en")
    names = {each.name for each in derived.items if isinstance(each, ReadMention)}
    assert "Velden Cranes plc" in names
    assert all(
        each.type is not EntityType.MONEY or "euros" in each.name
        for each in derived.items
        if isinstance(each, ReadMention)
    )
