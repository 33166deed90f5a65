"""Turn text into the terms that BM25 counts: the same for documents and for questions.

Numbers stay whole and lose only their formatting ("$1,577.0" is 1577). Fiscal periods get one term for every way to
write them ("FY18", "fiscal 2018"). References and share classes are kept whole (references.py). Words are stemmed.
"""

from __future__ import annotations

import re
import threading
import unicodedata
from collections import Counter
from collections.abc import Callable
from functools import lru_cache
from typing import Final

import Stemmer

from apps.corpus.references import WHOLE, found_whole, full_year, whole_terms

TERMS_VERSION: Final = 2
"""Counts up with every change of what a text's terms are. It is stored with a document (`Document.terms_version`) when
its postings are made, so that those of an older analysis are known; `manage.py corpus reindex` counts them anew.

1: numbers, periods, words. 2: section numbers, rules, share classes and dates with points are kept whole.
"""

_ENGLISH_STOP_WORDS = (
    "a an the and or but if of at by for with about to from in on into than then so as is are was were be been "
    "being am it its this that these those there which who whom what when where why how do does did has have had "
    "having i me my we our you your he him his she her they them their not no nor will would can could should may "
    "might shall must also such any each other more most some same both please give tell"
)
_GERMAN_STOP_WORDS = (
    "der die das den dem des ein eine einer eines einem einen und oder aber wenn von vom zu zum zur mit bei für "
    "auf aus im in an am ist sind war waren wird werden wurde wurden sein hat haben hatte es sie er wir ihr ich "
    "sich dass diese dieser dieses auch als wie was wer wann wo warum nicht kein keine nur noch nach über unter "
    "durch um so bitte"
)
_STOP_WORDS = {
    "english": frozenset(_ENGLISH_STOP_WORDS.split()),
    "german": frozenset(_GERMAN_STOP_WORDS.split()),
}
_STEMMERS = {"en": "english", "de": "german"}

# A number with its groups and decimals, a form ("10-k"), or a run of letters and digits with inner "&", "." or "'".
_CUT = (
    r"(?:10|8|20|6)-[kqf]\b(?:/a)?"
    r"|\d{1,3}(?:[,.'\u2019]\d{3})+(?:[.,]\d+)?(?![\w])(?:\s?(?:%|percent\b|per\scent\b|prozent\b))?"
    r"|\d+(?:[.,]\d+)?(?:bn|mn)(?!\w)|\d+[.,]\d+[bm](?!\w)"
    r"|\d+(?:[.,]\d+)?(?![\w])(?:\s?(?:%|percent\b|per\scent\b|prozent\b))?"
    r"|[^\W_]+(?:[&.'\u2019][^\W_]+)*"
)
_TOKEN = re.compile(f"{WHOLE}|{_CUT}")
_TOKEN_OF_1 = re.compile(_CUT)
_PERIOD = re.compile(
    r"\b(?:(?:fiscal(?:\s+year)?|gesch\u00e4ftsjahr|fy)\s?['\u2019]?(?P<fiscal>(?:19|20)?\d\d)\b"
    r"|(?:fiscal\s+)?year\s+ended\s+[a-z]+\s+\d{1,2},\s*(?P<ended>(?:19|20)\d\d)\b"
    r"|q(?P<q1>[1-4])(?:\s+of)?[\s,-]*(?:fiscal(?:\s+year)?\s+|fy\s?)?['\u2019]?(?P<y1>(?:19|20)?\d\d)\b"
    r"|(?P<q2>[1-4])q\s?(?:fy)?['\u2019]?(?P<y2>(?:19|20)?\d\d)\b"
    r"|(?P<y3>(?:19|20)\d\d)\s?-?q(?P<q3>[1-4])\b"
    r"|(?P<q4>first|second|third|fourth|1st|2nd|3rd|4th|[1-4]\.)\s+(?:fiscal\s+)?(?:quarter|quartal)"
    r"(?:\s+(?:of|des))?(?:\s+(?:fiscal(?:\s+year)?|fy|the\s+year))?,?(?:\s*(?P<y4>(?:19|20)\d\d)\b)?)"
)
_WRITTEN_NUMBER = re.compile(
    r"(?P<digits>\d(?:[\d.,'\u2019]*\d)?)(?:(?P<percent>\s?(?:%|percent|per\scent|prozent))|(?P<magnitude>bn|mn|[bm]))?"
)
_GLUED_PERIOD = re.compile(r"fy(?:19|20)?\d\d|q[1-4](?:19|20)?\d\d|[1-4]q(?:fy)?(?:19|20)?\d\d|(?:19|20)\d\dq[1-4]")
# The stems of the words, so that "3.2bn" and "3.2 billion" give the same terms.
_MAGNITUDES = {"bn": "billion", "b": "billion", "mn": "million", "m": "million"}
_QUARTERS = {"first": "1", "second": "2", "third": "3", "fourth": "4"}
_REMEMBERED = 262_144  # tokens: a large filing has about 10,000 different ones
STATEMENT_MARK = "statement:"
_LONGEST_TERM = 64  # characters


def terms(text: str, language: str) -> list[str]:
    """Return the terms of a text, repeats included, in reading order; terms for periods come last.

    Args:    language: "en" or "de"; any other is treated as English, so that a question in an unknown language still
             finds numbers and names.
    """
    text = folded(text)
    analyse = _analyser(_STEMMERS.get(language, "english"))
    found = [term for token in _TOKEN.findall(text) for term in analyse(token)]
    for match in _PERIOD.finditer(text):
        said = {term for token in _TOKEN.findall(match.group()) for term in analyse(token)}
        found.extend(term for term in _period_terms(match) if term not in said)
    return found


def folded(text: str) -> str:
    """Return a text in lower case and NFKC, the form from which terms are read; folding it again changes nothing."""
    if text.isascii():
        return text.lower()
    # Lower case undoes NFKC for a few capitals whose lower case has no composed form, so normalise twice.
    return unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).lower())


def counted_otherwise(text: str, language: str) -> bool:
    """Return whether an older analysis split an expression of this text, and so misses one of the text's terms.

    A search for such a text may miss documents that the older analysis counted. Searches for other texts are not
    affected.
    """
    text = folded(text)
    analyse = _analyser(_STEMMERS.get(language, "english"))
    return any(
        not {term for cut in _TOKEN_OF_1.findall(whole) for term in analyse(cut)}.issuperset(analyse(whole))
        for whole in found_whole(text)
    )


def term_frequencies(text: str, language: str) -> Counter[str]:
    """Return how often each term occurs; the sum of the counts is the text's length for BM25."""
    return Counter(terms(text, language))


def statement_term(statement: str) -> str:
    """Return the term for all passages on a page that prints this statement, such as "statement:balance_sheet".

    No text produces such a term, since a colon ends every token. It is counted with the words of the text, so a
    question about a figure of the balance sheet finds the balance sheet whatever its title and its lines.
    """
    return f"{STATEMENT_MARK}{statement}"


def is_statement_term(term: str) -> bool:
    """Return whether a term is the mark of a financial statement's page rather than a word."""
    return term.startswith(STATEMENT_MARK)


@lru_cache(maxsize=4)
def _analyser(stemmer_name: str) -> Callable[[str], tuple[str, ...]]:
    stemmer = Stemmer.Stemmer(stemmer_name, 0)
    lock = threading.Lock()  # a Stemmer keeps state between calls
    stop_words = _STOP_WORDS[stemmer_name]
    decimal_comma = stemmer_name == "german"

    @lru_cache(maxsize=_REMEMBERED)
    def analyse(token: str) -> tuple[str, ...]:
        if token in stop_words or _GLUED_PERIOD.fullmatch(token):
            return ()  # periods get their terms from the phrase that contains them
        whole = whole_terms(token, analyse)
        if whole is not None:
            return tuple(term[:_LONGEST_TERM] for term in whole)
        if token[0].isdigit():
            return _number(token, decimal_comma=decimal_comma)
        if token.isdecimal():
            return (token[:_LONGEST_TERM],)
        word = _plain_word(token)
        if not word or word in stop_words:
            return ()
        if any(map(str.isdigit, word)):
            return (word,)
        with lock:
            # A stem may be longer than its word: the German one writes "ss" for "\u00df".
            return (stemmer.stemWord(word)[:_LONGEST_TERM],)

    return analyse


def _number(token: str, *, decimal_comma: bool) -> tuple[str, ...]:
    """Return a number in its standard form: "1,577.0" is 1577, "12.50 percent" 12.5%, "3.2bn" 3.2 billion."""
    match = _WRITTEN_NUMBER.fullmatch(token)
    if match is None or (match["magnitude"] in ("b", "m") and match["digits"].isdigit()):  # "Item 1B", "3M"
        return (re.sub(r"[^\w]", "", token)[:_LONGEST_TERM],)
    plain = _plain_digits(match["digits"], decimal_comma=decimal_comma)
    if "." in plain:
        plain = plain.rstrip("0").rstrip(".")
    if match["percent"]:
        return (f"{plain[: _LONGEST_TERM - 1]}%",)
    magnitude = _MAGNITUDES.get(match["magnitude"] or "")
    return (plain[:_LONGEST_TERM], magnitude) if magnitude else (plain[:_LONGEST_TERM],)


def _plain_digits(digits: str, *, decimal_comma: bool) -> str:
    digits = digits.replace("'", "").replace("\u2019", "")
    last_comma, last_point = digits.rfind(","), digits.rfind(".")
    if last_comma >= 0 and last_point >= 0:  # the mark further right is the decimal mark
        group, mark = (".", ",") if last_comma > last_point else (",", ".")
    elif last_comma >= 0:
        is_group = re.fullmatch(r"\d{1,3}(?:,\d{3})+", digits) and not decimal_comma
        group, mark = (",", ".") if is_group else (".", ",")
    else:
        is_group = re.fullmatch(r"\d{1,3}(?:\.\d{3})+", digits) and (decimal_comma or digits.count(".") > 1)
        group, mark = (".", ",") if is_group else (",", ".")
    return digits.replace(group, "").replace(mark, ".")


def _plain_word(token: str) -> str:
    """Return a word without its marks: "pp&e" -> "ppe", "u.s" -> "us", "company's" -> "company"."""
    word = token.replace("\u2019", "'")
    if word.endswith("'s"):
        word = word[:-2]
    return word.replace("&", "").replace(".", "").replace("'", "")[:_LONGEST_TERM]


def _period_terms(match: re.Match[str]) -> list[str]:
    fiscal = match["fiscal"] or match["ended"]
    if fiscal:
        year = full_year(fiscal)
        return [f"fy{year}", year]
    quarter = match["q1"] or match["q2"] or match["q3"] or match["q4"]
    number = _QUARTERS.get(quarter, quarter[0])
    written_year = match["y1"] or match["y2"] or match["y3"] or match["y4"]
    if not written_year:
        return [f"q{number}"]
    year = full_year(written_year)
    return [f"q{number}", year, f"q{number}{year}"]
