"""Read what a part of a question calls a figure: lines of statements and measures by their names, and other words."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Final

from apps.corpus.terms import terms
from apps.filings.text.mentions import Mention, blank_mentions, mentions_of
from apps.filings.vocabulary.concepts import Concept, find_in_text
from apps.retrieval.contracts import QueryAnalysis
from apps.retrieval.stages.figures.calculating.form_words import GROUPS, KINDS_OF_FIGURE, NAMES_NO_FIGURE, UNIT_ASKED
from apps.retrieval.stages.figures.calculating.noun_phrases import naming_words
from apps.retrieval.stages.figures.calculating.row_words import is_period
from apps.retrieval.stages.figures.calculating.series import Series
from apps.retrieval.stages.figures.measure_table import MEASURES
from apps.retrieval.stages.question.companies import names_of
from apps.retrieval.stages.question.glossary import GLOSSARY
from apps.retrieval.stages.question.glossary_entry import Nature
from apps.retrieval.stages.question.jurisdiction_names import read_names

Names = tuple[frozenset[str], ...]
"""The names of one thing, each as its terms."""
Wanted = tuple[tuple[Names, float], ...]

_LINE_WEIGHT: Final = 2.0
_WORD_WEIGHT: Final = 1.0
_NAME_WEIGHT: Final = 2.0
"""A figure of another place or product is another figure."""
_PIECE: Final = re.compile(r"(?<=[.?!:;])\s+|\s[\u2013\u2014-]\s")
_LEAD: Final = re.compile(
    r".*?[,:]\s+(?=(?:by\s+)?(?:what|which|how|did|does|do|is|was|were|are|has|have|can|could)\b)",
    re.IGNORECASE | re.DOTALL,
)
_ASKING_ENDS: Final = ("?", ":")
_YEAR: Final = re.compile(r"(?<!\d)(?:19|20)\d\d(?!\d)|\bFY\s?'?\d\d(?!\d)")
_WORD: Final = re.compile(r"[^\W\d_][\w&'\u2019-]*")
# What stands beside a figure's name in a question, or in a row's label, without making it another figure.
_PLAIN: Final = """
    use used divided two three four five spend spent bring brought earn earned total net consolidated company
    firm group year years end full fiscal financial reported amount amounts figure figures value values number
    numbers level unadjusted overall annual yearly quarter half period time times date line item row cell position table
    sheet spreadsheet column report reports filing statement statements page book accounts account s go goes
    gone going went come comes came do make made take taken took put get got give gave given say says said tell
    told name named show shown look looked looking see seen find found need needed want wanted ask asked check
    know calculate calculated compute work out based please thanks hello hi hey people us me my our it its they
    them one ones each every all both whole entire single just only exactly exact precisely precise roughly
    about around approximately much many first latest recent current currently still also again so far now then
    here there quite rather really absolute terms term relative comparing compare compared comparison versus
    against between over across during within million millions billion billions thousand thousands dollar
    dollars pound pounds euro euros usd eur gbp chf percent per cent percentage point points basis plain simple
    quick question wonder wondering curious help note slide deck memo had has have been would could should if
    suppose supposed assume assuming steady constant even same rate rates size vs id like set beside besides
    apart ahead behind leads lead way else other than colleague somebody someone boss client thinks think
    believes claims claim heard hear correct true right sterling round rounded decimal decimals place places own
    measure measures metric metrics excess spell tally list through fill filling empty high low large big strong
    balance balances record recorded showed yr yrs before january february march april june july august september
    october november december jan feb mar apr jun jul aug sep oct nov dec opening closing
    after charge cumulated cumulative
    incl mid express convert state last past previous grand subtract add together result resulting answer what's how's
"""
_PLAIN_GERMAN: Final = """
    nachkommastelle nachkommastellen folie kollege kollegin chef kunde rechne rechnen eigene eigenen namlich
    ganze alles geteilt durch gesamt gesamte summe konzern gruppe unternehmen firma jahr jahre jahren jahres
    geschaftsjahr wert werte betrag betrage zahl zahlen hohe anzahl position posten zeile spalte tabelle bericht
    angabe angaben zeitraum zeitpunkt stand punkt prozent prozentual million millionen milliarden tausend euro
    mio mrd tsd frage antwort ergebnisrechnung vs ggu gegen geg stelle stellen differenz unterschied vergleich
    verhaltnis bezug rechnung schnitt ende anfang seite bereich ausweis verlauf laufe bestand
    vorjahr vorjahres vorjahresquartal vorjahreszeitraum vorquartal mitte inkl
    januar februar marz mai juni juli oktober dezember monat monate quartal
"""
_PLACES: Final = frozenset(entry.label for entry in GLOSSARY if entry.nature is Nature.PLACE)
# A capital that does not begin the text.
_NAME: Final = re.compile(r"(?<=\s)[A-Z][\w&'\u2019-]+")
# "US$ billions", "US cents": no country.
_OF_A_CURRENCY: Final = re.compile(
    r"\b(?:US|C|A|HK)(?=\s?\$)|\bUS(?=[\s-](?:dollars?|cents?)\b)|\bin\s+US\b(?=\s+(?:m|b|k)\w*\b)"
)
_CONJUNCTIONS: Final = frozenset({"and", "or", "und", "oder"})
_GERMAN_MODIFIER: Final = re.compile(r"\w+(?:e|en|er|es|em)")


def asked_names(part: str, analysis: QueryAnalysis, among: Sequence[Series], *, groups: bool = False) -> Wanted:
    """Return what a part of a question names, each with its names and its weight.

    Args: groups: whether a word for rows of one sort (segments, liabilities) names something, too.

    A line of a statement counts under all of its names. Words of a company's name, those from which a form is read, and
    those that only lead up to a question name nothing.
    """
    text = _without_places(part, analysis)
    told = _telling(text, analysis, among)
    # "Did capex go up? I only need its change from 2021 to 2022.": the name stands in another sentence.
    return _read_names(told, analysis, among, groups) or _read_names(text, analysis, among, groups)


def _read_names(told: str, analysis: QueryAnalysis, among: Sequence[Series], groups: bool) -> Wanted:
    language = analysis.language
    wanted: list[tuple[Names, float]] = []
    rest = told
    for trigger, names in _measure_names(analysis):
        if found := mentions_of(trigger, rest):
            rest = blank_mentions(rest, found)
            wanted.append((names, _LINE_WEIGHT))
    for span, names in _named_figures(rest, among, language):
        rest = blank_mentions(rest, [span])
        wanted.append((names, _LINE_WEIGHT))
    companies = {*(each.passage.chunk.document.company for each in among), *analysis.companies_named}
    plain = plain_terms(language).union(*(terms(name, language) for company in companies for name in names_of(company)))
    named = _in_noun_phrases(told, analysis, among)
    rest = NAMES_NO_FIGURE.sub(" ", UNIT_ASKED.sub(" ", rest))
    if not groups:
        rest = GROUPS.sub(" ", rest)
    if language == "de":
        rest = _german_names(rest, plain, language)
    proper = frozenset[str]() if language == "de" else frozenset(terms(" ".join(_NAME.findall(rest)), language))
    if wanted or terms(KINDS_OF_FIGURE.sub(" ", rest), language):
        # Where no table says what sort of figure it is, a row is called so without that word.
        held = frozenset[str]().union(*(each.own | each.heading_terms | each.above | each.column for each in among))
        plain |= frozenset(terms(" ".join(KINDS_OF_FIGURE.findall(rest)), language)) - held
    further = dict.fromkeys(
        term
        for term in terms(rest, language)
        if term not in plain and len(term) > 1 and not is_period(term) and (named is None or term in named)
    )
    weights = ((term, _NAME_WEIGHT if term in proper else _WORD_WEIGHT) for term in further)
    return (*dict.fromkeys(wanted), *(((frozenset({term}),), weight) for term, weight in weights))


def _countries(text: str, among: Sequence[Series], language: str) -> list[tuple[Mention, Names]]:
    """Return the countries that a text names, by the names that rows have for them: "Swedish" is "Sweden" there."""
    asked = read_names(_OF_A_CURRENCY.sub(lambda found: " " * len(found.group()), text))
    if not asked:
        return []
    rows: dict[str, set[frozenset[str]]] = {}
    for label in {each.label for each in among}:
        for name in read_names(_OF_A_CURRENCY.sub(" ", label)):
            rows.setdefault(name.code, set()).add(frozenset(terms(name.mention.text, language)))
    return [(each.mention, tuple(sorted(rows[each.code], key=sorted))) for each in asked if each.code in rows]


def with_one_measure(first: str, second: str) -> tuple[str, str]:
    """Return two parts of a comparison, both with the figure's name that only one of them has.

    "Discount Centers" and "Warehouse Clubs in operating earnings" compare the earnings of both.
    """
    in_first, in_second = (tuple(find_in_text(part)) for part in (first, second))
    if bool(in_first) is bool(in_second):
        return first, second
    if in_first:
        return first, f"{second} {first[in_first[-1].start : in_first[-1].end]}"
    return f"{first} {second[in_second[-1].start : in_second[-1].end]}", second


def _without_lead(piece: str, labels: frozenset[str], language: str) -> str:
    """Return a sentence from its question word on, if a word of a table follows: "By the notes, what is ..."."""
    found = _LEAD.match(piece)
    rest = piece[found.end() :] if found else ""
    return rest if labels & frozenset(terms(rest, language)) else piece


def _without_places(part: str, analysis: QueryAnalysis) -> str:
    """Return a part without the names of the statements in which a figure stands: they are no figure.

    "Balance sheet total" is the name of one.
    """
    figures = find_in_text(part)
    for each in analysis.expansions:
        if each.label in _PLACES:
            places = mentions_of(each.trigger, part)
            part = blank_mentions(
                part, [place for place in places if not any(f.start <= place.start < f.end for f in figures)]
            )
    return part


def _in_noun_phrases(part: str, analysis: QueryAnalysis, among: Sequence[Series]) -> frozenset[str] | None:
    """Return the terms of the noun phrases that may name a figure; None for a German question, which is not parsed."""
    if analysis.language == "de":
        return None
    rows = frozenset[str]().union(*(each.own | each.column.union(terms(each.heading, "en")) for each in among))
    triggers = (each.trigger for each in analysis.expansions)
    concepts = (part[each.start : each.end] for each in find_in_text(part))
    known = rows.union(*(terms(name, "en") for name in (*triggers, *concepts))) - plain_terms("en")
    return frozenset(terms(naming_words(part, known), "en"))


def _measure_names(analysis: QueryAnalysis) -> list[tuple[str, Names]]:
    """Return the measures that the question names: a row of a margin is called a margin, and not like its parts."""
    expansions = sorted(analysis.expansions, key=lambda each: -len(each.trigger))
    return [
        (each.trigger, (frozenset(terms(each.trigger, analysis.language)),))
        for each in expansions
        if each.label in MEASURES
    ]


def _named_figures(text: str, among: Sequence[Series], language: str) -> list[tuple[Mention, Names]]:
    """Return the concepts and the labels of rows that a text names, with their names; of overlapping ones the longest.

    What a row is called counts as one name, whatever concepts its words name: "Royalties and Trading".
    """
    found = _countries(text, among, language)
    taken = [mention for mention, _ in found]
    found.extend(
        (Mention(start=each.start, end=each.end, text=text[each.start : each.end]), _names_of(each.concept, language))
        for each in find_in_text(blank_mentions(text, taken) if taken else text)
    )
    for label in {each.label for each in among if not each.concepts}:
        if len(label.split()) > 1 and (own := frozenset(terms(label, language)) - plain_terms(language)):
            found.extend((mention, (own,)) for mention in _inflected_mentions(label, text, language))
    kept: list[tuple[Mention, Names]] = []
    for mention, names in sorted(found, key=lambda each: (each[0].start - each[0].end, each[0].start)):
        if all(mention.end <= other.start or other.end <= mention.start for other, _ in kept):
            kept.append((mention, names))
    return kept


def _inflected_mentions(label: str, text: str, language: str) -> list[Mention]:
    """Return where a text has a label, or its words one after the other in another case or number.

    Words that follow an "and" may share their last one with those before it: "mobile and broadband subscriptions".
    """
    if exact := mentions_of(label, text):
        return list(exact)
    wanted = [tuple(terms(word, language)) for word in _WORD.findall(label)]
    words = [(match, tuple(terms(match.group(), language))) for match in _WORD.finditer(text)]
    found = []
    for at in range(len(words) - len(wanted) + 1):
        run = words[at : at + len(wanted)]
        if wanted and [each for _, each in run] == wanted and not (at and words[at - 1][0].group() in _CONJUNCTIONS):
            start, end = run[0][0].start(), run[-1][0].end()
            found.append(Mention(start=start, end=end, text=text[start:end]))
    return found


def _names_of(concept: Concept, language: str) -> Names:
    names = (concept.name, *concept.labels, *concept.asked)
    found = (frozenset(terms(name, language)) for name in names)
    return tuple(dict.fromkeys(name for name in found if name))


@lru_cache(maxsize=4)
def plain_terms(language: str) -> frozenset[str]:
    """Return the terms that stand beside a figure's name without making it another figure."""
    words = f"{_PLAIN} {_PLAIN_GERMAN}"
    # In both languages' stems: a German question may be taken for an English one.
    return frozenset(terms(words, "en")) | frozenset(terms(words, "de")) | frozenset(words.split())


def _telling(part: str, analysis: QueryAnalysis, among: Sequence[Series]) -> str:
    """Return those pieces of a text, between full stops and colons, that ask for something.

    These name a year or a company, or are the question itself and hold a word of a table. How the answer is to be found
    and written ("Base it on the balance sheet.") stands in other sentences.
    """
    labels = frozenset[str]().union(*(each.own for each in among)) - plain_terms(analysis.language)
    companies = [each.lower() for each in analysis.companies_named]
    pieces = [_without_lead(each, labels, analysis.language) for each in _PIECE.split(part)]
    with_labels = [each for each in pieces if labels & frozenset(terms(each, analysis.language))]
    asking = [
        each
        for each in pieces
        if _YEAR.search(each)
        or any(company in each.lower() for company in companies)
        or (each in with_labels and each.rstrip().endswith(_ASKING_ENDS))
    ]
    if not labels & frozenset(terms(" ".join(asking), analysis.language)):
        asking = [each for each in pieces if each in asking or each in with_labels]
    return " ".join(asking) or part


def _german_names(text: str, plain: frozenset[str], language: str) -> str:
    """Return the nouns of a German text, with the words before them that may modify them: they begin with capitals.

    A text without a capital, as it is typed into a search, is returned whole.
    """
    words = [(match.group(), match.start()) for match in _WORD.finditer(text)]
    if not any(word[0].isupper() for word, start in words if start):
        return text
    kept = []
    for index, (word, start) in enumerate(words):
        following = words[index + 1] if index + 1 < len(words) else ("", len(text))
        named = following[0][:1].isupper() and not plain.issuperset(terms(following[0], language))
        modifies = named and text[start + len(word) : following[1]] == " "
        if (word[0].isupper() and start) or (modifies and _GERMAN_MODIFIER.fullmatch(word)):
            kept.append(word)
    return " ".join(kept)
