"""Answers that say in their own words what a passage says, and answers near them that say something else."""

from __future__ import annotations

import pytest

from apps.retrieval.contracts import GroundingStatus
from apps.retrieval.stages.grounding.ground import ground
from tests.retrieval.builders import analysed, candidate, context_of, document, entry, written

TEXT = (
    "Revenue fell because distributors reduced their inventories. We sold the Lindau plant to Orbex Tools in March "
    "2024. The facility may not be drawn while a default continues. At least 60% of assets must be held in bonds, and "
    "not more than 15% may be held in cash. Karin Holt succeeded Marc Adler as chief risk officer. Existing customers "
    "added modules, and the company opened an office in Porto and closed the one in Bergen. The dividend of 40 cents "
    "per share will be paid on 5 May 2025 to holders registered on 22 April 2025. The fleet has 27 owned ships, eight "
    "ships on bareboat charter and three ships on time charter. Net debt counts for 20% and profit for 60% of the "
    "bonus. We expect savings of about $14 million a year from 2026 onward after the move in 2024."
)
TABLE = """\
Northwind income statement
in millions of dollars
 | Three months ended June 30, | | Six months ended June 30, |
 | 2024 | 2023 | 2024 | 2023
Net sales: | | | |
Valves | 100.0 | 90.0 | 210.0 | 190.0
Pumps | 60.0 | 64.0 | 120.0 | 130.0
Total net sales | 160.0 | 154.0 | 330.0 | 320.0
Allowance for credit losses | (5.0) | (4.0) | (5.0) | (4.0)"""
GERMAN = (
    "Der Umsatz sank, weil Hersteller von Landmaschinen ihre Lager abbauten. Das Werk in Celle wurde an die Firma "
    "Hagedorn verkauft. Der Vertrag gilt je Kalenderhalbjahr."
)


def is_grounded(answer: str, question: str, *, text: str = TEXT, language: str = "en") -> bool:
    analysis = analysed(question, entry("Northwind", 2024), language=language)
    facts = document(1, title="Northwind 2024 10-K", fiscal_year=2024)
    context = context_of(analysis, [candidate(text, 1, page=3, facts=facts, language=language)])
    report = ground(written(answer, context.passages[0].ref_id), context, analysis=analysis)
    return report.status is GroundingStatus.GROUNDED


@pytest.mark.parametrize(
    "answer",
    [
        "In March 2024, Northwind disposed of the Lindau plant; it went to Orbex Tools.",
        "The Lindau plant was divested to Orbex Tools.",
        "At most 15% may be cash, while a minimum of 60% of assets has to be in bonds.",
        "Karin Holt took over from Marc Adler as chief risk officer.",
        "An office was opened in Porto, and the one in Bergen was shut.",
        "40 cents per share, payable on 5 May 2025 to holders registered on 22 April 2025.",
        "27 are owned, eight are on bareboat charter and three on time charter.",
        "Profit (60%) and net debt (20%) count for the bonus.",
        "Around $14 million a year, starting in 2026.",
    ],
)
def test_own_words_pass(answer: str) -> None:
    assert is_grounded(answer, "What does Northwind report?")


@pytest.mark.parametrize(
    "answer",
    [
        "Revenue declined since distributors raised their stocks.",
        "Northwind acquired the Lindau plant from Orbex Tools in March 2024.",
        "At least 15% may be cash.",
        "Marc Adler took over from Karin Holt as chief risk officer.",
        "Karin Holt took over as chief financial officer.",
        "An office was opened in Bergen, and the one in Porto was shut.",
        "40 cents per share, payable on 22 April 2025 to holders registered on 5 May 2025.",
        "40 pence per share, payable on 5 May 2025.",
        "27 are owned, three are on bareboat charter and eight on time charter.",
        "Profit (20%) and net debt (60%) count for the bonus.",
    ],
)
def test_what_is_nearly_the_same_is_stopped(answer: str) -> None:
    assert not is_grounded(answer, "What does Northwind report?")


@pytest.mark.parametrize(
    ("answer", "passes"),
    [
        ("Valves brought $100.0 million in the three months ended June 30, 2024.", True),
        ("In the six months ended June 30, 2024, net sales of Valves were $210.0 million.", True),
        ("Valves brought $210.0 million in the three months ended June 30, 2024.", False),
        ("Pumps brought $100.0 million in the three months ended June 30, 2024.", False),
    ],
)
def test_a_table_with_headings_of_two_lines(answer: str, passes: bool) -> None:
    assert is_grounded(answer, "What were Northwind's sales?", text=TABLE) is passes


@pytest.mark.parametrize(
    ("answer", "passes"),
    [
        ("Weil die Hersteller von Landmaschinen Lager abgebaut haben.", True),
        ("Der Umsatz ging wegen des Lagerabbaus der Landmaschinenhersteller zurück.", True),
        ("Das Werk in Celle hat man an Hagedorn veräußert.", True),
        ("Weil die Hersteller von Landmaschinen Lager aufgebaut haben.", False),
        ("Das Werk in Celle kam von der Firma Hagedorn.", False),
        ("Der Vertrag gilt je Kalenderjahr.", False),
    ],
)
def test_german_words_of_one_stem_and_in_compounds(answer: str, passes: bool) -> None:
    assert is_grounded(answer, "Was berichtet Northwind zum Umsatz?", text=GERMAN, language="de") is passes


FUND = (
    "The fund may invest up to 10% of its Net Asset Value in cash. The patents expire in the European Union in May "
    "2026 and in Japan in November 2027. We confirm our guidance: a margin of about 2.6%, costs below $1.4 billion and "
    "a return above 11%. Restructuring charges rose because a plant closed. Fee income grew on new payroll services."
)


@pytest.mark.parametrize(
    ("answer", "passes"),
    [
        ("Up to 10% of NAV.", True),
        (
            "Northwind gives three targets: a margin of about 2.6%, costs below $1.4 billion and a return above 11%.",
            True,
        ),
        ("They expire in the EU in May 2026; in Japan they expire in November 2027.", True),
        (
            "Northwind gives five targets: a margin of about 2.6%, costs below $1.4 billion and a return above 11%.",
            False,
        ),
        ("They expire in the EU in May 2027; in Japan they expire in November 2027.", False),
        ("At least 10% of NAV.", False),
    ],
)
def test_abbreviations_counts_of_a_list_and_parts_of_a_sentence(answer: str, passes: bool) -> None:
    assert is_grounded(answer, "What does Northwind report?", text=FUND) is passes


@pytest.mark.parametrize(
    ("answer", "passes"),
    [
        ("A plant closed.", True),
        ("Because a plant was shut.", True),
        ("The patents in Japan.", False),
        ("Because of the patents in Japan.", False),
    ],
)
def test_a_reason_is_of_what_is_asked(answer: str, passes: bool) -> None:
    assert is_grounded(answer, "Why did restructuring charges rise?", text=FUND) is passes


@pytest.mark.parametrize(
    ("answer", "passes"),
    [
        ("Valves brought $100.0 million in Q2 2024. The passages give no figure for 2021.", True),
        ("Valves brought $100.0 million in Q2 2024. No figure for 2021 is given in the passages.", True),
        ("Valves brought $100.0 million in Q2 2024. The passages give no figure for 2023.", False),
    ],
)
def test_what_the_passages_do_not_give_may_be_said_if_they_do_not(answer: str, passes: bool) -> None:
    table = TABLE.replace(
        "Three months ended June 30, | | Six months ended June 30, |", "Q2 2024 | Q2 2023 | H1 2024 | H1 2023"
    )
    table = table.replace("\n | 2024 | 2023 | 2024 | 2023", "")
    assert is_grounded(answer, "What were Northwind's sales of Valves in 2021, 2023 and 2024?", text=table) is passes


COLUMNS = """\
Results by segment
(in millions of dollars) | Retail | | Corporate |
 | 2024 | 2023 | 2024 | 2023
Fee income | 100 | 90 | 70 | 60
Cost ratio | 55.0% | 57.0% | 48.0% | 49.5%"""


@pytest.mark.parametrize(
    ("answer", "passes"),
    [
        ("The cost ratio of Retail was 55.0% in 2024.", True),
        ("In 2024, Corporate had fee income of $70 million.", True),
        ("The cost ratio of Retail was 48.0% in 2024.", False),
        ("In 2024, Corporate had fee income of $100 million.", False),
    ],
)
def test_columns_with_names(answer: str, passes: bool) -> None:
    assert is_grounded(answer, "How did the segments of Northwind do in 2024?", text=COLUMNS) is passes
