"""German statements are read as English ones are, with a comma before decimals."""

from __future__ import annotations

from datetime import date

import pytest

from apps.corpus.extraction import extract
from tests.filings.reading import only, read

_BALANCE = """# Konzernbilanz

| Mio. EUR | Anhang | 31.12.2024 | 31.12.2023 | Veränderung |
|---|---|---|---|---|
| Sachanlagen | 4 | 1.234,5 | 1.111,0 | 11 % |
| Geschäfts- oder Firmenwert | 5 | 300,0 | 300,0 | 0 % |
| Forderungen aus Lieferungen und Leistungen | 6 | 465,5 | 389,0 | 20 % |
| Zahlungsmittel | 7 | 100,0 | 80,0 | 25 % |
| Summe Aktiva | | 2.100,0 | 1.880,0 | 12 % |
| Gezeichnetes Kapital | 8 | 50,0 | 50,0 | 0 % |
| Bilanzverlust | 8 | -20,0 | -30,0 | |
| Verbindlichkeiten aus Lieferungen und Leistungen | 9 | 2.070,0 | 1.860,0 | 11 % |
| Summe Passiva | | 2.100,0 | 1.880,0 | 12 % |
"""


def _facts():
    return read(extract(_BALANCE.encode(), filename="bericht.md"), language="de")


def test_a_point_parts_thousands():
    assert only(_facts(), "Sachanlagen", 2024).value == 1_234_500_000


def test_a_minus_is_negative():
    assert only(_facts(), "Bilanzverlust", 2024).value == -20_000_000


def test_the_corner_states_the_currency():
    assert only(_facts(), "Sachanlagen", 2024).currency == "EUR"


def test_a_date_heads_a_column():
    assert only(_facts(), "Summe Aktiva", 2023).ends_on == date(2023, 12, 31)


@pytest.mark.parametrize("column", ["Anhang", "Veränderung"])
def test_notes_and_changes_are_no_facts(column):
    assert column not in {fact.column for fact in _facts()}
