"""Which jurisdictions a question names, how surely, and what that leaves of what is held."""

from __future__ import annotations

import pytest

from apps.corpus.extraction.language import language_of_question
from apps.filings.text.territories import EU_MEMBERS, REGULATORS, SAFE_CODES, TERRITORIES
from apps.retrieval.contracts import Certainty, DocumentFilter, FilterField, MetadataFilter, QueryAnalysis
from apps.retrieval.stages.grounding.subject import unknown_names
from apps.retrieval.stages.question.jurisdiction_mentions import read_jurisdiction_mentions
from apps.retrieval.stages.question.jurisdiction_names import code_of
from apps.retrieval.stages.question.relax import document_filter
from apps.retrieval.stages.ranking.fuse import boost
from tests.retrieval.builders import analysed, candidate, context_of, document, entry

HELD = (
    entry(document_type="policy", jurisdictions=("DE",)),
    entry(document_type="policy", jurisdictions=("LU",)),
    entry(document_type="policy", jurisdictions=("CH", "LI")),
    entry(document_type="policy", jurisdictions=("EU",)),
    entry("Northwind", 2024, jurisdictions=("US",)),
    entry("Swiss Re", 2024, jurisdictions=("CH",)),
    entry(document_type="policy"),
)


def read(text: str) -> list[tuple[str, bool]]:
    language = language_of_question(text)
    return [(each.code, each.plain) for each in read_jurisdiction_mentions(text, text, language)]


def of_jurisdiction(analysis: QueryAnalysis) -> list[MetadataFilter]:
    return [each for each in analysis.filters if each.field is FilterField.JURISDICTION]


# --- what a question says ---


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("What does German law require for the marketing of funds?", "DE"),
        ("what does german law require of us", "DE"),
        ("What applies under Swiss law?", "CH"),
        ("What do US tax rules say?", "US"),
        ("What do the U.S. securities laws say?", "US"),
        ("Which regulations in the UK apply?", "GB"),
        ("the laws of the Grand Duchy of Luxembourg", "LU"),
        ("What does the law of Georgia say?", "GE"),
        ("What does European law say on fund names?", "EU"),
        ("What do the laws of the Central African Republic say?", "CF"),
        ("What does the law of Saint Lucia say?", "LC"),
        ("Was gilt nach dem Recht Dschibutis?", "DJ"),
        ("What may an Irish UCITS cost?", "IE"),
        ("Which funds domiciled in Luxembourg may borrow?", "LU"),
        ("Was verlangt das deutsche Recht für den Vertrieb?", "DE"),
        ("Was gilt nach Luxemburger Recht?", "LU"),
        ("Was gilt nach dem Recht der Schweiz?", "CH"),
        ("Welche Gesetze der Vereinigten Staaten sind zu beachten?", "US"),
        ("Was sagt das EU-Recht zu Fondsnamen?", "EU"),
        ("Was dürfen Fonds mit Sitz in Irland?", "IE"),
        ("What does the CSSF circular on liquidity say?", "LU"),
        ("Which FCA rules apply?", "GB"),
        ("What did the SEC require?", "US"),
        ("Which ESMA guidelines on fund names are there?", "EU"),
        ("Was verlangt die BaFin von Fonds?", "DE"),
        ("Welche Vorgaben der FINMA gelten?", "CH"),
        ("Which requirements of the Central Bank of Ireland apply?", "IE"),
    ],
)
def test_the_law_or_the_seat_is_read_as_such(text: str, code: str) -> None:
    assert read(text) == [(code, True)]


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("Which notice period applies to a Luxembourg fund?", "LU"),
        ("May we market the fund in the UK?", "GB"),
        ("Is Ireland's corporate tax rate rising?", "IE"),
        ("What do we sell in Turkey?", "TR"),
        ("Which Jersey funds are open?", "JE"),
        ("Where in the US do we lend?", "US"),
        ("Bonds of issuers domiciled in Germany", "DE"),
        ("Dürfen wir den Fonds in Österreich vertreiben?", "AT"),
        ("Wie viele deutsche Aktien hält der Fonds?", "DE"),
        ("Was gilt im Vereinigten Königreich?", "GB"),
        ("What did the SEC filing show?", "US"),
        ("What share of sales in Germany Q4 2024?", "DE"),
    ],
)
def test_a_place_is_read_and_not_taken_for_the_law(text: str, code: str) -> None:
    assert read(text) == [(code, False)]


@pytest.mark.parametrize(
    "text",
    [
        "tell us the rate",
        "WHAT DO US RULES SAY",
        "Turkey sales of the food company?",
        "What did New Jersey charge?",
        "Sales of the plant in Esterhill, Georgia",
        "What is the combined ratio of Swiss Re?",
        "What is Bank of America's revenue?",
        "What did Deutsche Bank lend?",
        "Wie hoch ist die Dividende der Deutschen Bank?",
        "Welche Prämien nahm die Schweizer Rück ein?",
        "What are American Express card fees?",
        "What did Telekom Deutschland earn?",
        "Sales outside the United States",
        "What are non-US sales?",
        "Sales in US dollars",
        "What is net income by US GAAP?",
        "Answer in German: what is the fee?",
        "Which of the firm's IT rules changed?",
        "What do European equities yield?",
        "the listing on the Luxembourg Stock Exchange",
        "What did the United Nations say on rates in the Eurozone?",
        "LU0123456789",
    ],
)
def test_what_is_no_jurisdiction_is_not_read(text: str) -> None:
    assert read(text) == []


@pytest.mark.parametrize("text", ["German and Austrian law on advertising", "the laws of Germany and Austria"])
def test_what_makes_one_of_a_list_the_law_makes_all(text: str) -> None:
    assert read(text) == [("DE", True), ("AT", True)]


def test_every_name_of_the_table_is_read_as_its_territory() -> None:
    for territory in TERRITORIES.values():
        for name in (*territory.names, *territory.adjectives, *(f"{stem}es" for stem in territory.stems)):
            assert code_of(name) == territory.code, name
    for code, authorities in REGULATORS.items():
        assert [code_of(name) for name in authorities] == [code] * len(authorities)


def test_codes_of_the_tables_are_territories() -> None:
    assert {*SAFE_CODES.values(), *REGULATORS, *EU_MEMBERS} <= set(TERRITORIES)
    assert len(EU_MEMBERS) == 27


# --- against what is held ---


def test_the_law_that_is_asked_about_narrows_to_it_and_to_the_law_above_it() -> None:
    analysis = analysed("What does German law require for marketing?", *HELD)
    (found,) = of_jurisdiction(analysis)
    assert (found.values, found.certainty) == (("DE", "EU"), Certainty.SURE)
    assert "“German” (DE)" in found.reason
    assert "Documents of EU stay in" in found.reason
    assert document_filter(analysis.filters).jurisdictions == ("DE", "EU")


def test_the_law_of_no_member_narrows_to_itself() -> None:
    assert document_filter(analysed("What applies under Swiss law?", *HELD).filters).jurisdictions == ("CH",)


def test_the_law_of_the_eu_leaves_in_its_members() -> None:
    analysis = analysed("What does EU law require for marketing?", *HELD)
    assert document_filter(analysis.filters).jurisdictions == ("EU", "DE", "LU")


def test_a_part_of_a_country_is_in_it() -> None:
    analysis = analysed("What does US law say on custody?", entry(jurisdictions=("US-NY",)), *HELD)
    assert document_filter(analysis.filters).jurisdictions == ("US", "US-NY")


def test_a_law_that_nothing_held_states_is_taken_out_and_said() -> None:
    analysis = analysed("What does Japanese law require for marketing?", *HELD)
    assert of_jurisdiction(analysis) == []
    assert [each.filter.values for each in analysis.relaxed] == [("JP",)]
    assert "No document held has jurisdiction JP; the search continues without it." in analysis.notices


def test_a_law_that_the_company_has_nothing_of_is_taken_out_and_the_company_stays() -> None:
    analysis = analysed("How does German law affect the margin of Northwind?", *HELD)
    assert document_filter(analysis.filters).companies == ("Northwind",)
    assert document_filter(analysis.filters).jurisdictions == ()
    assert [each.filter.field for each in analysis.relaxed] == [FilterField.JURISDICTION]


def test_a_place_is_preferred_and_narrows_nothing() -> None:
    analysis = analysed("Which notice period applies to a Luxembourg fund?", *HELD)
    (found,) = of_jurisdiction(analysis)
    assert (found.values, found.certainty) == (("LU",), Certainty.LIKELY)
    assert document_filter(analysis.filters) == DocumentFilter()
    own = candidate("x", 2, facts=document(2, jurisdictions=("LU",)))
    other = candidate("x", 1, facts=document(1, jurisdictions=("DE",)))
    lifted = boost([other, own], filters=analysis.filters, weight=0.1)
    assert [(each.hit.chunk_id.int, each.boost_reasons) for each in lifted] == [(2, ("jurisdiction LU",)), (1, ())]


def test_a_place_that_tells_nothing_held_apart_is_left_alone() -> None:
    """A filer of the US that sells there: each of its reports is of the US."""
    assert of_jurisdiction(analysed("What did Northwind sell in the US in FY2024?", *HELD)) == []
    assert of_jurisdiction(analysed("What do we sell in Japan?", *HELD)) == []


def test_a_companys_own_name_is_no_jurisdiction() -> None:
    analysis = analysed("What are the rules of Swiss Re on custody?", *HELD)
    assert [each.field for each in analysis.filters if each.certainty is Certainty.SURE] == [FilterField.COMPANY]
    assert of_jurisdiction(analysis) == []


def test_order_of_the_inventory_changes_nothing() -> None:
    text = "What do German and Swiss law require for a Luxembourg fund?"
    assert analysed(text, *HELD) == analysed(text, *reversed(HELD))


def test_a_country_is_spoken_of_where_the_document_states_it() -> None:
    analysis = analysed("What is the notice period of a Luxembourg fund?", *HELD)
    assert analysis.names == ("Luxembourg",)
    stating = context_of(analysis, [candidate("The notice is ten days.", facts=document(jurisdictions=("LU",)))])
    silent = context_of(analysis, [candidate("The notice is ten days.", facts=document())])
    assert unknown_names(analysis, stating) == ()
    assert unknown_names(analysis, silent) == ("Luxembourg",)


def test_a_law_under_a_filter_is_no_word_that_a_passage_must_hold() -> None:
    """The document states it; it is still searched for, and the context must be of it or speak of it."""
    analysis = analysed("What notice does Luxembourg law require?", *HELD)
    assert "luxembourg" not in {each.label for each in analysis.concepts}
    assert "luxembourg" in {each.term for each in analysis.terms}
    assert analysis.names == ("Luxembourg",)
    of_the_eu = context_of(analysis, [candidate("Ten days.", facts=document(jurisdictions=("EU",)))])
    silent = context_of(analysis, [candidate("Ten days.", facts=document())])
    assert unknown_names(analysis, of_the_eu) == ()
    assert unknown_names(analysis, silent) == ("Luxembourg",)
