"""Organisations: by their legal form, by the list that every report names, and by what a document calls them."""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Final, NamedTuple

from apps.filings.graph.words import NameIndex
from apps.filings.text.mentions import word_set
from apps.filings.text.territories import REGULATORS

_KNOWN: Final = """
Securities and Exchange Commission, SEC
European Securities and Markets Authority, ESMA, Europäische Wertpapier- und Marktaufsichtsbehörde
European Banking Authority, EBA, Europäische Bankenaufsichtsbehörde
European Insurance and Occupational Pensions Authority, EIOPA
European Commission, Europäische Kommission, Europäischen Kommission
Bundesanstalt für Finanzdienstleistungsaufsicht, BaFin, Bafin, Federal Financial Supervisory Authority
Financial Conduct Authority, FCA
Prudential Regulation Authority, PRA
Swiss Financial Market Supervisory Authority, FINMA, Eidgenössische Finanzmarktaufsicht
Commission de Surveillance du Secteur Financier, CSSF
Commodity Futures Trading Commission, CFTC
Financial Industry Regulatory Authority, FINRA
European Central Bank, ECB, Europäische Zentralbank, Europäischen Zentralbank, EZB
Deutsche Bundesbank, Bundesbank, Deutschen Bundesbank
Federal Reserve, Federal Reserve Board, Federal Reserve System
Federal Trade Commission, FTC
Federal Deposit Insurance Corporation, FDIC
Internal Revenue Service, IRS
Financial Accounting Standards Board, FASB
International Accounting Standards Board, IASB
Public Company Accounting Oversight Board, PCAOB
New York Stock Exchange, NYSE
International Monetary Fund, IMF, Internationaler Währungsfonds
World Bank, Weltbank
"""
# Forms that stand behind a name in any sentence, and those that are words of their own in capitals.
_FORMS: Final = (
    r"Inc\b\.?|Incorporated\b(?!\s(?:by|in|herein|into|under|as))|INC\b\.?|Corp\b\.?|CORP\b\.?|Corporation\b"
    r"|CORPORATION\b|Company\b|Co\b\.(?=\W|$)|Limited\b(?!\sto)|Ltd\b\.?"
    r"|LTD\b\.?|LLC\b|L\.L\.C\.|PLC\b|plc\b|Plc\b|GmbH\b(?:\s&\sCo\.\sKGa?A?)?|GMBH\b|AG\b(?:\s&\sCo\.\sKGaA)?"
    r"|SE\b(?:\s&\sCo\.\sKGaA)?|KGaA\b|KG\b"
    r"|e\.V\.|S\.A\.(?:\sde\sC\.V\.)?|SA\b|N\.V\.|NV\b|B\.V\.|BV\b|S\.p\.A\.|S\.r\.l\.|L\.P\.|LLP\b|L\.L\.P\."
    r"|A/S(?!\w)|ASA\b"
    r"|Oyj\b|AB\b"
)
_FORM: Final = re.compile(rf"(?<![\w&])(?:& )?(?:{_FORMS})")
_TOKEN: Final = re.compile(r"\S+")
_NAME_TOKEN: Final = re.compile(r"(?:[A-ZÄÖÜ0-9][\w&\u2019'.+-]*|&|of|de|di|für|von)")
_JOINS: Final = frozenset({"&", "of", "de", "di", "für", "von"})
_NAMELESS: Final = word_set(
    "Later Earlier Today Recently Additionally Currently Finally Furthermore Moreover Meanwhile Historically Zudem "
    "Therefore Consequently Accordingly Similarly Separately Subsequently Together Später Zuletzt Ferner Außerdem "
    "The A An In On At By For From With Under When Where If As Since While Our We Its Their His Her This That These "
    "Those "
    "And Or But To Of Each Any All Both Such No Not Between Among Former Formerly Including Unlike Like After Before "
    "During Although Because However Also Then Mr Mrs Ms Dr Chairman President Director Officer Chief Executive CEO "
    "CFO "
    "Vice Board Der Die Das Den Dem Des Ein Eine Einer Eines Im Am Bei Mit Von Zur Zum Für Und Oder Auf Aus Nach Seit "
    "Unsere Unser Wir Diese Dieser Dieses THE OF AND IN BY FOR OR AT TO Parent Subsidiary Issuer Borrower "
    "Guarantor "
    "Note Notes Item Exhibit Table Section Part Page See Inc Corp Corporation Company Ltd LLC GmbH AG Limited Note "
    "January February March April May June July August September October November December"
)
_NO_NAME: Final = _NAMELESS | {"WITH"}
# Words that stand before a form in running text without being a name.
_COMMON: Final = word_set(
    "parent holding holdings operating public private insurance trust investment management our portfolio limited "
    "liability shell acquired target successor predecessor registered joint stock venture german american european "
    "registrant surviving affiliated reporting smaller emerging growth well known large accelerated company "
    "corporation "
    "captive finance group bank utility utilities foreign domestic u s us the and of general partner s financial "
    "aktiengesellschaft gesellschaft tochter life reinsurance mining drug oil energy technology entire combined new "
    "restated amended existing first second third initial form articles agreement certificate"
)
_LEGAL_WORDS: Final = word_set(
    "inc incorporated corp corporation co company ltd limited llc plc gmbh ag se kgaa kg ev sa nv bv spa srl lp llp "
    "as asa "
    "oyj ab sadecv"
)
_DOTTED: Final = re.compile(r"(?<=\b\w)\.(?=\s?\w\b)")
_WORD: Final = re.compile(r"[^\W_]+")
_DEFINED: Final = re.compile(
    r"\s*\((?P<inside>[^()\n]{0,40}(?:\n[^()\n]{0,40})?)\)",
)
_QUOTED: Final = re.compile(r"[\"\u201c\u201e\u201d](?P<name>[^\"\u201c\u201d\u201e]{2,60}?)[\"\u201d\u201c]")
_ACRONYM: Final = re.compile(r"\s*\((?:the\s|die\s|der\s)?(?P<name>[A-Z][A-Za-z&]{0,6}[A-Z])\)")
OWN_NAMES: Final = word_set(
    "Company Group Corporation Registrant Issuer Firm Bank Gesellschaft Konzern Unternehmen Emittentin Bank Parent "
    "Trust "
    "Partnership Fund Borrower Guarantor Guarantors Issuers Subsidiaries Sellers Parties Lenders Trustee Holdings "
    "Seller Buyer Purchaser Lender Agent Customer Client Supplier"
)
"""What a document may call an organisation by definition, although it is a word for many."""
_MOST_WORDS: Final = 7
_AROUND: Final = 60
"""A line in capitals: what stands in it like a legal form may be a word."""
_OF: Final = word_set("Bank University Commission Institute Association Society House College Federation Trust Church")


class Organisation(NamedTuple):
    """`text[start:end]` with the end of its key. aliases: what the text calls it from here on."""

    start: int
    end: int
    key: str
    aliases: tuple[str, ...]


def key_of_organisation(name: str) -> str:
    """Return the end of the key: the words of a name without its legal form and article, or of its known full name."""
    known = known_organisations().whole(name)
    return known if known else _plain_key(name)


def _plain_key(name: str) -> str:
    joined = _DOTTED.sub("", unicodedata.normalize("NFKC", name).replace("A/S", "AS"))
    words = _WORD.findall(joined.casefold().replace("\u2019s", "").replace("'s", ""))
    if len(words) > 1 and words[0] == "the":
        words = words[1:]
    while len(words) > 1 and words[-1] in _LEGAL_WORDS:
        words.pop()
    return "-".join(words)


def _known() -> Iterator[tuple[str, str]]:
    for row in _KNOWN.strip().splitlines():
        names = [name.strip() for name in row.split(",")]
        yield from ((name, _plain_key(names[0])) for name in names)
    for regulators in REGULATORS.values():
        yield from ((name, _plain_key(name)) for name in regulators)


@lru_cache(maxsize=1)
def known_organisations() -> NameIndex[str]:
    """Return the authorities and institutions that are known by name, with the ends of their keys."""
    return NameIndex(_known())


def organisations_in(text: str, starts: Sequence[int] = ()) -> list[Organisation]:
    """Return the organisations whose legal form the text prints, with what it calls them.

    Args: starts: where a heading, a paragraph or a row begins, in order: no name goes over that.
    """
    found: list[Organisation] = []
    for form in _FORM.finditer(text):
        block = bisect_right(starts, form.start())
        start = _name_before(text, starts[block - 1] if block else 0, form.start(), form.group())
        if start is None or (found and start < found[-1].end):
            continue
        end = form.end()
        name = text[start:end]
        found.append(Organisation(start, end, key_of_organisation(name), tuple(_aliases(text, name, end))))
    return found


def _name_before(text: str, begin: int, end: int, form: str) -> int | None:
    """Return where the name before a legal form begins; None if none stands there."""
    offset = max(begin, end - 100)
    line = text.rfind("\n\n", offset, end)
    offset = max(offset, line + 2 if line >= 0 else offset)
    tokens = [(each.start() + offset, each.group()) for each in _TOKEN.finditer(text[offset:end])]
    names: list[tuple[int, str]] = []
    for place, (start, token) in enumerate(reversed(tokens[-_MOST_WORDS:])):
        bare = token[:-1] if place == 0 and token.endswith(",") else token
        opened = bare.lstrip('("\u201c\u201e')
        if opened != bare:
            start, bare = start + len(bare) - len(opened), opened
        if not _NAME_TOKEN.fullmatch(bare) or bare.rstrip(".") in _NO_NAME or _ends_a_sentence(bare):
            break
        if text[start + len(bare) : start + len(bare) + 1] == "\n" and place and len(names) and names[-1][1] in _JOINS:
            break
        names.append((start, bare))
        if opened != token and place:
            break
    for place, (_, name) in enumerate(names[:-1]):
        if name == "of" and names[place + 1][1] not in _OF:
            del names[place:]
            break
    while names and (names[-1][1] in _JOINS or not any(map(str.isalpha, names[-1][1]))):
        names.pop()
    words = [word.casefold() for _, name in names for word in _WORD.findall(name)]
    if not words or all(word in _COMMON or word.isdigit() for word in words):
        return None
    if form.isupper() and not any(map(str.islower, text[max(0, end - _AROUND) : end + _AROUND])):
        return None
    return names[-1][0]


def _ends_a_sentence(token: str) -> bool:
    return token.endswith(".") and len(token) > 3 and token.count(".") == 1


def _aliases(text: str, name: str, end: int) -> Iterator[str]:
    if (acronym := _ACRONYM.match(text, end)) and _abbreviates(acronym["name"], name):
        yield acronym["name"]
    elif defined := _DEFINED.match(text, end):
        for quoted in _QUOTED.finditer(defined["inside"]):
            alias = " ".join(quoted["name"].split()).strip(" ,.").removeprefix("the ").removeprefix("The ")
            if alias and (alias[0].isupper() or alias[0].isdigit()):
                yield alias


def _abbreviates(acronym: str, name: str) -> bool:
    """Return whether the letters of an acronym begin the words of a name, in this order."""
    initials = "".join(word[0] for word in _WORD.findall(name)).casefold()
    letters = iter(initials)
    return all(letter in letters for letter in acronym.casefold() if letter.isalpha())


def bare_name(name: str) -> str:
    """Return a name without its legal form, by which a document goes on to call it; empty if that is a common word."""
    bare = name
    while (form := _LAST_FORM.search(bare)) and form.start() > 0:
        bare = bare[: form.start()].rstrip(" ,")
    words = [word.casefold() for word in _WORD.findall(bare)]
    distinct = [word for word in words if word not in _COMMON and len(word) > 2]
    return " ".join(bare.split()) if bare != name and distinct and not bare.islower() else ""


_LAST_FORM: Final = re.compile(rf",?\s(?:& )?(?:{_FORMS})$")
