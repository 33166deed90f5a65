"""Tell by its name or by a value whether a column may be about people. By rules, so that it errs on their side."""

from __future__ import annotations

import re
import unicodedata
from typing import Final

_MAIL: Final = re.compile(r"[^@\s]+@[^@\s]+\.\w{2,}")
_IBAN: Final = re.compile(r"[A-Z]{2}\d{2}(?: ?[A-Z0-9]{4}){3,7}(?: ?[A-Z0-9]{1,3})?\Z")
_PHONE: Final = re.compile(r"(?:\+|00|0)\d[\d /().-]{6,18}\d\Z")
# Parts of names, in English and German, of columns that say something of people or tell them apart.
_PERSONAL_NAME: Final = re.compile(
    r"(?:first|last|sur|full|given|family|maiden|vor|nach|familien|zu)[ _]?name|^name$"
    r"|person|client|customer|kunde|mandant|investor|anleger|employee|mitarbeiter|staff|user|owner|inhaber|\bholder"
    r"|contact|kontakt|mail|phone|mobile|telefon|handy|fax|street|stra(?:ss|ß)e|address|adresse|anschrift|city|\bort\b"
    r"|wohnort|postal|postcode|\bzip|plz|birth|geburt|\bdob\b|\bage\b|alter\b|gender|geschlecht|\bsex\b|nationalit"
    r"|passport|ausweis|reisepass|\bssn\b|social|steuer|tax_?id|\btin\b|iban|account|konto|depot|card|karte|salary|gehalt"
    r"|lohn|\bwage|einkommen|religion|health|gesundheit|diagnos|\bip\b|device|login|username|signature|comment"
    r"|note|bemerkung|kommentar|\bpay\b|payroll|\bbonus|\bcomp\b|compensation|remuneration|verg(?:\u00fc|ue?)tung"
    r"|bez(?:\u00fc|ue?)ge\b|entgelt|patient|pupil|sch(?:\u00fc|ue?)ler|student|citizen|applicant|bewerber|candidate"
    r"|debtor|schuldner|borrower|darlehensnehmer|insured|versicherte|claimant|beneficiar|beg(?:\u00fc|ue?)nstigt"
    r"|mieter|\bborn\b|\bwho\b|\bwer\b|\bherr\b|\bfrau\b|\bahv\b|manager|trader|advis[eo]r|berater|nickname|\balias"
    r"|sick|krank|abwesen|absence|disab|behinder|ethnic|criminal|straf",
    re.IGNORECASE,
)
# Two or three words with capitals, "Anna Meier" or "MEIER, Anna M.", of which none is one of a firm or a product.
_LIKE_A_PERSON: Final = re.compile(r"[^\W\d_][\w.'\u2019-]*(?:,? [^\W\d_][\w.'\u2019-]*){1,2}\Z")
_WORDS_OF_FIRMS: Final = (
    "fund funds fonds bond bonds equity equities index etf sicav ucits reit trust bank banken holding holdings "
    "group gruppe inc corp co ltd plc llc ag gmbh se sa nv kg ab oyj spa company capital partners management "
    "advisors asset assets global world europe european emerging markets international growth value income "
    "dividend credit high yield short long term small mid large cap class share shares cash money market total "
    "net gross other new old north south east west united states republic kingdom insurance real estate energy "
    "health care consumer technology financial financials services goods materials utilities industrials "
    "communication discretionary staples fixed government treasury corporate plus and of the und der die das"
)
_OF_NO_PERSON: Final = frozenset(_WORDS_OF_FIRMS.split())
_WORD_PARTS: Final = re.compile(r"(?<=[a-z])(?=[A-Z])")


def in_words(name: str) -> str:
    """Return a column's name with its words apart: clientName is "client Name"."""
    return _WORD_PARTS.sub(" ", name)


def is_of_people(name: str) -> bool:
    """Return whether a column of this name may say something of people, or tell them apart."""
    return bool(_PERSONAL_NAME.search(unicodedata.normalize("NFKC", in_words(name).replace("_", " "))))


def names_an_account(value: str) -> bool:
    """Return whether a value is a mail address or the number of an account."""
    return bool(_MAIL.search(value) or _IBAN.match(value))


def reaches_somebody(value: str) -> bool:
    return names_an_account(value) or bool(_PHONE.match(value))


def is_like_a_person(value: str) -> bool:
    """Return whether a value is written as the name of a person is. Some places and products are, too."""
    if not _LIKE_A_PERSON.match(value) or any(sign.isdigit() for sign in value):
        return False
    words = value.replace(",", "").split()
    return all(word[0].isupper() for word in words) and _OF_NO_PERSON.isdisjoint(
        word.casefold().strip(".") for word in words
    )
