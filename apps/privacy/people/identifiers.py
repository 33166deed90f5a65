"""Find e-mail addresses, telephone numbers, IBANs and account numbers, compared on their digits and letters only.

We use our own patterns for telephone numbers: the matcher of phonenumbers finds no number without a country code unless
it is told the country, and no number that continues on the next line.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from apps.privacy.people.calling_codes import national_digits, split_number, trunk_prefixes
from apps.privacy.people.contracts import How, Match, Matched, PersonDescription
from apps.privacy.people.normalise import folded, without_marks, writings

# What people put between the digits of a number: nothing, a blank, a slash, a line break.
_BETWEEN = r"[\W_]{0,3}"
_NOT_ALPHANUMERIC = bytes(byte for byte in range(256) if not chr(byte).isalnum() or byte >= 128)
_SHORTEST_NUMBER = 4
_SHORTEST_PHONE = 5
_WRITTEN_SIGNS = {
    "@": r"\s*(?:@|[\[({]\s*(?:at|@)\s*[\])}]|\sat\s)\s*",
    ".": r"\s*(?:\.|[\[({]\s*(?:dot|punkt|\.)\s*[\])}]|\sdot\s)\s*",
}


@dataclass(frozen=True, slots=True)
class IdentifierPattern:
    """A pattern for one identifier. needles: compact(text) contains all of them wherever the pattern can match."""

    matched: Matched
    needles: tuple[str, ...]
    pattern: re.Pattern[str]
    confidence: Callable[[re.Match[str]], float]

    def matches(self, text: str) -> Iterator[Match]:
        how = How.EXACT if self.matched is Matched.WORD else How.IDENTIFIER
        for found in self.pattern.finditer(text):
            yield Match(
                start=found.start(), end=found.end(), how=how, matched=self.matched, confidence=self.confidence(found)
            )


def compact(text: str) -> str:
    """Return only the ASCII digits and letters of a text, in lower case, for a quick search for identifiers."""
    if not text.isascii() and not unicodedata.is_normalized("NFKC", text):
        text = unicodedata.normalize("NFKC", text)
    return text.encode("utf-8", "surrogatepass").lower().translate(None, _NOT_ALPHANUMERIC).decode("ascii")


def identifier_patterns(person: PersonDescription) -> list[IdentifierPattern]:
    """Return the patterns for the known identifiers and phrases, without those that are too short to mean anything."""
    found = [
        *map(_email, person.emails),
        *(pattern for phone in person.phones for pattern in _phone(phone)),
        *(_number(iban, Matched.IBAN) for iban in person.ibans),
        *(_number(account, Matched.ACCOUNT) for account in person.accounts),
        *map(_phrase, person.words),
    ]
    return [pattern for pattern in found if pattern is not None]


def _email(address: str) -> IdentifierPattern | None:
    local, at, domain = folded(address.strip()).partition("@")
    if not (local and at and domain):
        return None
    pieces = re.split(r"([^\w]|_)", f"{local}@{domain}")
    written = "".join(
        _WRITTEN_SIGNS.get(piece, rf"\s*{re.escape(piece)}\s*" if not piece.isalnum() else _spelt(piece))
        for piece in pieces
        if piece
    )
    return IdentifierPattern(
        matched=Matched.EMAIL,
        needles=tuple(compact(piece) for piece in pieces if compact(piece)),
        pattern=re.compile(rf"(?<![^\W_]){written}(?![^\W_])", re.IGNORECASE),
        confidence=lambda found: 0.6 if re.search(r"[^\W_][.+\-_]$", _before(found)) or _goes_on(found) else 1.0,
    )


def _goes_on(found: re.Match[str]) -> bool:
    """Return whether the text continues to a longer address, as in "@example.com.au"."""
    return re.match(r"[.\-][a-z]{2,}", found.string[found.end() : found.end() + 4]) is not None


def _phone(number: str) -> Iterator[IdentifierPattern]:
    code, core = split_number(number)
    # A number of four digits identifies a person only together with its country code.
    is_short = len(core) < _SHORTEST_PHONE
    if len(core) < _SHORTEST_NUMBER or (is_short and not code):
        return
    yield _phone_pattern(code, core, needs_code=is_short)
    at_home = national_digits(code, core) if code else ""
    if at_home:
        yield _phone_pattern(code, at_home, needs_code=False)


def _phone_pattern(code: str, core: str, *, needs_code: bool) -> IdentifierPattern:
    # 011 is the prefix for international calls from North America.
    prefix = rf"(?:(?:\+|00|011){_BETWEEN}{_spelt(code) if code else '[1-9][0-9]{0,2}'}{_BETWEEN})"
    # Only a 0 may be separated from the number: a separated "1." may number a list, and the number matches without it.
    trunk = rf"(?:\(?0\)?{_BETWEEN}|{'|'.join(map(_spelt, trunk_prefixes(code)))})"
    pattern = rf"(?<![0-9])(?P<prefix>{prefix}{'' if needs_code else '?'}{trunk}?){_spread(core)}(?![0-9])"

    def confidence(found: re.Match[str]) -> float:
        if "\n\n" in found.group() or re.search(r"\d[.,]\d*$", _before(found)):
            return 0.4
        if found["prefix"] or code == "1":
            return 0.95 if len(core) > 6 else 0.8
        return 0.75 if len(core) > 8 else 0.6

    return IdentifierPattern(matched=Matched.PHONE, needles=(core,), pattern=re.compile(pattern), confidence=confidence)


def _number(number: str, matched: Matched) -> IdentifierPattern | None:
    plain = compact(number)
    plain = plain.lstrip("0") if plain.isdigit() else plain
    if len(plain) < _SHORTEST_NUMBER:
        return None
    zeros = rf"(?:0{_BETWEEN})*" if plain.isdigit() else ""
    edge = "[0-9]" if plain[0].isdigit() else "[^\\W_]"
    last = "[0-9]" if plain[-1].isdigit() else "[^\\W_]"

    def confidence(found: re.Match[str]) -> float:
        if matched is Matched.IBAN:
            return 1.0
        if "," in found.group() or re.search(r"\d[.,]$", _before(found)) or re.match(r"[.,]\d", _behind(found)):
            return 0.5  # an amount of money
        if "\n" in found.group() or len(plain) < 6:
            return 0.65
        return 0.95

    return IdentifierPattern(
        matched=matched,
        needles=(plain,),
        pattern=re.compile(rf"(?<!{edge}){zeros}{_spread(plain)}(?!{last})", re.IGNORECASE),
        confidence=confidence,
    )


def _phrase(words: str) -> IdentifierPattern | None:
    """Return a pattern for a phrase, word by word, in any case and with accents written in any way."""
    pieces = re.findall(r"[^\W_]+", unicodedata.normalize("NFC", words))
    if not pieces:
        return None
    written = r"[\W_]+".join("(?:" + "|".join(_writings(piece)) + ")" for piece in pieces)
    confidence = 0.7 if len(pieces) > 1 else 0.5
    needles = tuple(compact(piece) for piece in pieces if piece.isascii())
    return IdentifierPattern(
        matched=Matched.WORD,
        needles=needles,
        pattern=re.compile(rf"(?<![^\W_]){written}(?![^\W_])", re.IGNORECASE),
        confidence=lambda _: confidence,
    )


def _writings(piece: str) -> list[str]:
    forms = {folded(piece), piece.casefold(), without_marks(folded(piece)), *writings(piece)}
    forms |= {unicodedata.normalize("NFD", form) for form in forms}
    return [re.escape(form) for form in sorted(forms, key=lambda form: (-len(form), form))]


def _spread(plain: str) -> str:
    return _BETWEEN.join(map(_spelt, plain))


def _spelt(letters: str) -> str:
    """Return a pattern that matches each digit and letter also in its full-width form."""
    return "".join(
        f"[{letter}{chr(ord(letter) + 0xFEE0)}]" if letter.isascii() and letter.isalnum() else re.escape(letter)
        for letter in letters
    )


def _before(found: re.Match[str]) -> str:
    return found.string[max(0, found.start() - 12) : found.start()]


def _behind(found: re.Match[str]) -> str:
    return found.string[found.end() : found.end() + 4]
