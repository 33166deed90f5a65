"""Attacks on the words of a profile: texts that a reader or a model reads as a term, and that a plain search does not.

Each class of writing has its control: without the defence, the text would have passed. The other way round, what only
resembles a term is let pass.
"""

from __future__ import annotations

import html
import time
import unicodedata
from collections.abc import Callable, Mapping
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from apps.intents.profile.contracts import InAnswer, InQuestion, ProfileRule, RuleSort
from apps.intents.profile.matching import ReadText, find_rules, read_term
from apps.intents.profile.problems import disclaimers_of, term_problem
from apps.intents.profile.readings import readings
from apps.intents.profile.values import VALUES
from apps.intents.proof.contracts import Theorem
from apps.intents.proof.profile import decide_profile
from tests.intents.profile.rules import EVASIONS, FILLERS, WORDS, fillers, watching
from tests.intents.profile.test_rules import profiles

LONG = ("bitcoin", "derivative", "lottery", "gambling", "pension", "mortgage", "tobacco")


def fires(text: str, *terms: str) -> bool:
    return bool(find_rules(text, [watching(*terms)]))


def fires_as_written(text: str, term: str) -> bool:
    """Whether the term stands in the text as it is written, markup and all: the control."""
    read = read_term(term)
    return any(ReadText(text, read.longest).spans(read))


HIDDEN: Mapping[str, Callable[[str], str]] = {
    "a tag within": lambda word: f"{word[:3]}<b>{word[3:]}</b>",
    "a tag round letters": lambda word: f"<i>{word[:1]}</i>{word[1:]}",
    "a place to break": lambda word: f"{word[:3]}<wbr/>{word[3:]}",
    "a comment within": lambda word: f"{word[:3]}<!-- note -->{word[3:]}",
    "entities": lambda word: "".join(f"&#{ord(each)};" for each in word),
    "hexadecimal entities": lambda word: "".join(f"&#x{ord(each):x};" for each in word),
    "a soft hyphen as an entity": lambda word: f"{word[:3]}&shy;{word[3:]}",
    "a tag as entities": lambda word: html.escape(f"{word[:3]}<b>{word[3:]}</b>"),
    "an escaped address": lambda word: f"{word[:3]}%{ord(word[3]):02x}{word[4:]}",
    "reversed": lambda word: f"\u202e{word[::-1]}\u202c",
    "reversed to the end": lambda word: f"\u202e{word[::-1]}",
    "a year": lambda word: f"{word}2024",
    "a figure before": lambda word: f"7{word}",
    "a footnote": lambda word: f"{word}\u00b9",
    "a trade mark": lambda word: f"{word}\u2122",
    "a mark in brackets": lambda word: f"{word}(R)",
    "an address": lambda word: f"info@{word}",
    "money": lambda word: f"usd${word}",
    "a line's end": lambda word: f"{word[:3]}-\n{word[3:]}",
    "a line's end with a margin": lambda word: f"{word[:3]}\u2010 \r\n   {word[3:]}",
}

MARKED: Mapping[str, Callable[[str], str]] = {
    "brackets": lambda word: f"{word[:3]}[{word[3:]}]",
    "a bracket first": lambda word: f"({word[:1]}){word[1:]}",
    "quotes": lambda word: f'{word[:3]}"{word[3:]}"',
    "commas": lambda word: f"{word[:2]},{word[2:]}",
    "semicolons": ";".join,
    "braces": lambda word: f"{word[:2]}{{{word[2:]}}}",
    "guillemets": lambda word: f"{word[:2]}\u00bb{word[2:]}",
}


@pytest.mark.parametrize("way", HIDDEN)
@settings(max_examples=25, deadline=None)
@given(word=st.sampled_from(LONG), before=fillers)
def test_a_word_is_found_in_what_is_displayed(way: str, word: str, before: list[str]) -> None:
    text = " ".join((*before, HIDDEN[way](word)))
    assert fires(text, word), text


@pytest.mark.parametrize("way", [way for way in HIDDEN if way != "a mark in brackets"])
def test_without_the_readings_it_would_have_passed(way: str) -> None:
    """A mark in brackets is a word by itself after a word; it only parts the words of a name."""
    assert not fires_as_written(HIDDEN[way]("bitcoin"), "bitcoin")


@pytest.mark.parametrize("mark", ["\u2122", "\u00ae", "(R)", "(tm)", "\u00b9", "1", "\u2120", "*"])
def test_a_mark_on_a_name_is_no_part_of_it(mark: str) -> None:
    assert fires(f"the Atlas{mark} Leveraged{mark} fund", '"Atlas Leveraged"')
    assert not fires(f"the Atlas{mark} Growth fund", '"Atlas Leveraged"')


@pytest.mark.parametrize("way", MARKED)
@settings(max_examples=25, deadline=None)
@given(word=st.sampled_from(LONG), before=fillers, after=fillers)
def test_a_mark_without_a_blank_parts_no_word(way: str, word: str, before: list[str], after: list[str]) -> None:
    text = " ".join((*before, MARKED[way](word), *after))
    assert fires(text, word), text
    assert word not in text


@pytest.mark.parametrize("way", [way for way in EVASIONS if way not in ("plural", "possessive")])
@settings(max_examples=25, deadline=None)
@given(word=st.sampled_from(LONG), ending=st.sampled_from(["", "fonds", "konto"]))
def test_a_beginning_is_found_however_it_is_written(way: str, word: str, ending: str) -> None:
    assert fires(EVASIONS[way](word + ending), f"{word[:-1]}*")


@pytest.mark.parametrize("letter", "abcdefghijklmnopqrstuvwxyz")
def test_every_character_that_unicode_names_after_a_letter_is_read_as_it(letter: str) -> None:
    name = f"LATIN SMALL LETTER {letter.upper()}"
    variants = [
        sign for code in range(0x80, 0x20000) if unicodedata.name(sign := chr(code), "").startswith(f"{name} WITH ")
    ]
    assert variants
    # The ẚ has a half ring beside the letter, which is a sign of its own.
    assert [sign for sign in variants if not fires(f"q{sign}q", f"q{letter}q")] in ([], ["ẚ"])


@pytest.mark.parametrize("zero", [code for code in range(0x80, 0x11000) if unicodedata.digit(chr(code), None) == 0])
def test_digits_of_every_script_stand_for_the_letters_that_digits_stand_for(zero: int) -> None:
    if unicodedata.category(chr(zero)) == "Nd":
        assert fires(f"bitc{chr(zero)}in", "bitcoin")
        assert fires(f"fund {chr(zero + 7)}", "fund 7")


@settings(max_examples=100, deadline=None)
@given(st.text(alphabet="il", min_size=1, max_size=4), st.sampled_from(["bx", "tx"]))
def test_a_one_is_read_as_each_of_its_letters(ones: str, around: str) -> None:
    word = f"{around}{ones}{around}"
    assert fires(word.replace("i", "1").replace("l", "1"), word)


@settings(max_examples=60, deadline=None)
@given(word=st.sampled_from(["derivative", "gambling", "tobacco", "lottery"]), at=st.integers(2, 4))
def test_every_form_of_each_piece_is_tried(word: str, at: int) -> None:
    digits = word[at:].translate(str.maketrans("oiea", "0134"))
    assert fires(f"{word[:at]}-{digits}", word)


@given(st.text(max_size=200))
@settings(max_examples=300, deadline=None)
def test_no_reading_hides_what_stands_in_the_text(text: str) -> None:
    assert readings(text)[0] == text
    assert fires(f"{text} bitcoin {text}", "bitcoin")


@pytest.mark.parametrize(
    ("term", "text"),
    [
        ("rapist", "the therapist"),
        ("option", "an adoption"),
        ("gold", "Goldman"),
        ("loan", "Mr Sloan"),
        ("ether", "whether, together, either"),
        ("sex", "Sussex"),
        ("bail", "a ball!"),
        ("bond", "vagabond"),
        ("tax", "syntax1"),
        ("risk", "R&D is key"),
        ("insurance", "5 < 7 & in 2024 > 2023"),
        ("fund", "<fundament>"),
        ("swap", "s, was, a"),
        ("bitcoin", "100% of bit rates"),
    ],
)
def test_what_only_resembles_a_term_is_let_pass(term: str, text: str) -> None:
    assert not fires(text, term)


@pytest.mark.parametrize("attack", ["1" * 30 + "a ", "a1-" * 10, "b1t(c0)1n", "%41<b>&#65;", "\u202e", "a|", "-\n a"])
def test_a_hostile_text_is_read_in_a_moment(attack: str) -> None:
    rules = [watching(*(f"word{rule} thing{term}" for term in range(20)), "krypto*") for rule in range(10)]
    text = f"{attack * (8_000 // len(attack))} kryptonite"
    began = time.perf_counter()
    assert len(find_rules(text, rules)) == len(rules)
    assert time.perf_counter() - began < 15  # measured: 3 s at most, of two busy cores


@pytest.mark.parametrize("term", ["IT", "US", "who", "May", "is it", '"IT"'])
def test_an_everyday_word_is_no_term(term: str) -> None:
    """It would refuse nearly every question: "tell us what it is"."""
    assert "an everyday word" in term_problem(term)
    assert fires("May you tell us who is it?", term)


@pytest.mark.parametrize(
    "term", ["IT outsourcing", "US equities", "war", "AI", "кредит", "M&A", "R&D", "über", "Fund A"]
)
def test_a_word_that_is_not_everyday_is_one(term: str) -> None:
    assert term_problem(term) == ""


COMPOUNDS = {
    "equity": ("Aktienfonds", "Aktienkurse", "Vorzugsaktien"),
    "bond": ("Anleihemarkt", "Unternehmensanleihen", "Staatsanleihe", "Pfandbriefe"),
    "derivative": ("Derivategeschäft", "Derivaten"),
    "structured": ("Zertifikatefonds",),
    "loan": ("Darlehensvertrag", "Hypothekendarlehen", "Kreditverträge", "Krediten"),
    "insurance": ("Lebensversicherungsvertrag",),
    "crypto": ("Kryptowährungen",),
}


@pytest.mark.parametrize(("value", "word"), [(value, word) for value, words in COMPOUNDS.items() for word in words])
def test_a_bound_finds_the_compounds_of_its_values(value: str, word: str) -> None:
    others = tuple(each for each in VALUES[RuleSort.INSTRUMENTS] if each != value)
    rule = replace(watching(), sort=RuleSort.INSTRUMENTS, terms=others)
    assert find_rules(f"Was steht zu {word} im Bericht?", [rule])
    assert not find_rules(f"Was steht zu {word} im Bericht?", [replace(rule, terms=(value,))])


@pytest.mark.parametrize(
    "text",
    ["Welches Kreditinstitut verwahrt es?", "Ist er akkreditiert?", "Der Aktionär fragt.", "Bondholder, Kreditor"],
)
def test_a_bound_leaves_words_that_only_begin_alike_alone(text: str) -> None:
    rule = replace(watching(), sort=RuleSort.INSTRUMENTS, terms=("fund",))
    assert not find_rules(text, [rule])


# --- what the proof says of it ---

_cased = st.sampled_from(
    ["bitcoin", "BITCOIN", "GIobal", "giobal", "tax  advice", "Tax Advice", '"Tax Advice"', "loan"]
)
_said = st.lists(st.sampled_from(["bitcoin", "global", "Global", "tax", "advice", "loan", *FILLERS]), max_size=8)


@settings(max_examples=300, deadline=None)
@given(
    before=st.lists(_cased, min_size=1, max_size=4, unique=True),
    after=st.lists(_cased, min_size=1, max_size=4, unique=True),
    said=_said,
)
def test_a_question_is_freed_only_where_the_proof_says_so(before: list[str], after: list[str], said: list[str]) -> None:
    rules = [watching(*before)], [watching(*after)]
    results = {
        each.theorem: each.changes
        for each in decide_profile(*([rule.as_json() for rule in side] for side in rules), ["unrecognised"])
    }
    text = " ".join(said)
    refused = [
        bool(find_rules(text, [rule for rule in side if rule.in_question is InQuestion.REFUSE])) for side in rules
    ]
    if not results[Theorem.NO_QUESTION_FREED]:
        assert refused[0] <= refused[1], text
    if not results[Theorem.NO_QUESTION_STOPPED]:
        assert refused[1] <= refused[0], text


def test_the_words_of_these_tests_are_terms_that_can_be_looked_for() -> None:
    assert all(fires(word, word) for word in (*WORDS, *LONG))


INTENTS = ("performance", "compliance", "unrecognised")
_texts = st.lists(
    st.sampled_from(
        ["tax", "advice", "lottery", "atlas", "kryptowert", "bond", "swap", "mutual", "fund", "ETF", "loan", *FILLERS]
    ),
    max_size=10,
).map(" ".join)


def strictness(rules: tuple[ProfileRule, ...], intent: str, text: str) -> tuple[int, int]:
    """Return what really becomes of a question (0 or 1) and of an answer (0 to 2) with this text."""
    fired = [each.rule for each in find_rules(text, [rule for rule in rules if rule.holds_for(intent)])]
    return (
        max((int(rule.in_question is InQuestion.REFUSE) for rule in fired), default=0),
        max((list(InAnswer)[::-1].index(rule.in_answer) for rule in fired), default=0),
    )


@settings(max_examples=400, deadline=None)
@given(before=profiles, after=profiles, text=_texts)
def test_what_the_theorems_say_of_two_profiles_is_what_happens(
    before: tuple[ProfileRule, ...], after: tuple[ProfileRule, ...], text: str
) -> None:
    json = [[rule.as_json() for rule in side] for side in (before, after)]
    holds = {each.theorem: not each.changes for each in decide_profile(*json, INTENTS)}
    if not holds:
        assert before == after == ()
        return
    for intent in INTENTS:
        (asked, said), (asked_now, said_now) = (strictness(side, intent, text) for side in (before, after))
        if holds[Theorem.NO_QUESTION_FREED] and holds[Theorem.NO_BOUND_WIDENED]:
            assert asked_now >= asked, (intent, text)
        if holds[Theorem.NO_QUESTION_STOPPED] and holds[Theorem.NO_BOUND_NARROWED]:
            assert asked_now <= asked, (intent, text)
        if holds[Theorem.NO_ANSWER_FREED] and holds[Theorem.NO_BOUND_WIDENED]:
            assert said_now >= said, (intent, text)
        if holds[Theorem.NO_ANSWER_STOPPED] and holds[Theorem.NO_BOUND_NARROWED]:
            assert said_now <= said, (intent, text)
        carried, carries = ({rule.text for rule in disclaimers_of(side, intent)} for side in (before, after))
        assert carried <= carries or not holds[Theorem.NO_DISCLAIMER_GONE]
        assert carries <= carried or not holds[Theorem.NO_DISCLAIMER_NEW]


@settings(max_examples=400, deadline=None)
@given(before=profiles, after=profiles, text=_texts)
def test_a_theorem_that_holds_is_not_always_true_by_itself(
    before: tuple[ProfileRule, ...], after: tuple[ProfileRule, ...], text: str
) -> None:
    """The control: whoever really loosens a profile for this text is named by a refuted theorem."""
    json = [[rule.as_json() for rule in side] for side in (before, after)]
    if any(strictness(after, each, text) < strictness(before, each, text) for each in INTENTS):
        assert any(each.changes for each in decide_profile(*json, INTENTS))
