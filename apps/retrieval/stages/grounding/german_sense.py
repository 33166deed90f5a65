"""Whether a German statement turns the sense of its source: what is only planned, denied, exchanged, added or left out.

No parser of German comes in packages, so words and their order are compared. English is read by its grammar (grammar/).
"""

from __future__ import annotations

import re
import sys
from collections.abc import Sequence
from typing import Final

from apps.retrieval.stages.grounding.paraphrase import find_word, tell, telling_words

_LANGUAGE: Final = "de"
_WORD: Final = re.compile(r"\w+")


def _words(pattern: str) -> re.Pattern[str]:
    return re.compile(rf"\b(?:{pattern})\b", re.IGNORECASE)


# What a source says, and what a statement of it must then say, too. The question may say it instead.
_MUST_BE_SAID: Final = tuple(
    (_words(told), _words(said))
    for told, said in (
        (
            r"lehn\w*|abgelehnt|ablehn\w*|weiger\w*|verweiger\w*|bestreit\w*|bestritt\w*|unterl(?:ie|a)(?:ß|ss)\w*|vers\u00e4um\w*"
            r"|verzicht\w*|vermied\w*|vermeid\w*|verhinder\w*|untersag\w*|verb[oi]t\w*|verboten|kaum|statt|ohne|scheiter\w*",
            r"nicht|kein\w*|nie|niemals|lehn\w*|abgelehnt|ablehn\w*|\w*weiger\w*|bestreit\w*|bestritt\w*|unterl\w+|unterblieb\w*"
            r"|vers\u00e4um\w*|verzicht\w*|verm(?:ei|ie)d\w*|verhinder\w*|untersag\w*|verb[oi]t\w*|verboten|unzul\u00e4ssig|kaum|wenige|statt"
            r"|ohne|scheiter\w*|gescheitert",
        ),
        (
            r"pr\u00fcft|pr\u00fcfen|erw\u00e4gt|erw\u00e4gen|will|wollen|soll|sollen|k\u00f6nnte\w*|d\u00fcrfte\w*|darf|d\u00fcrfen|kann|k\u00f6nnen|plant|planen|geplant\w*"
            r"|erwart\w*|rechnet|rechnen|voraussichtlich|vorgeschlagen|schl\u00e4gt|forder[nt]|droht|drohen|beabsichtig\w*|m\u00f6glich\w*"
            r"|w\u00fcrde\w*|wirft|werfen|behauptet|behaupten",
            r"pr\u00fcf\w*|erw\u00e4g\w*|will|wollen|soll\w*|k\u00f6nnte\w*|d\u00fcrfte\w*|darf|d\u00fcrfen|kann|k\u00f6nnen|plan\w*|geplant\w*|erwart\w*|rechne\w*"
            r"|prognos\w*|voraussichtlich|vorgeschlagen|vorschl\w+|schl\u00e4gt|forder\w*|gefordert|drohe?\w*|angedroht|beabsichtig\w*|m\u00f6glich\w*"
            r"|w\u00fcrde\w*|muss|m\u00fcssen|verpflichtet|erlaubt|gestattet|zul\u00e4ssig|ziel\w*|strebt|absicht\w*|vorw[iu]rf\w*|wirft|werfen|behaupt\w*"
            r"|angeblich|wird|werden|anstehend\w*|k\u00fcnftig\w*",
        ),
        (
            r"meisten|einige\w*|kaum|wenige|wenigen|h\u00e4lfte|teilweise|mehrheit",
            r"meist\w*|mehrheit\w*|\u00fcberwiegend\w*|einige\w*|teil\w*|kaum|wenige\w*|halb\w*|h\u00e4lfte|mehrere|manche\w*|gro\u00dfteil|kein\w*",
        ),
        (
            r"bis\s+zu",
            r"bis\s+zu|h\u00f6chstens|maximal\w*|nicht\s+mehr|begrenz\w*|beschr\u00e4nk\w*|obergrenze|limit",
        ),
        (
            r"mit\s+ausnahme|ausgenommen|au\u00dfer|ausschlie\u00dflich\s+der|vorbehaltlich",
            r"ausnahme\w*|ausgenommen|au\u00dfer|nicht|kein\w*|ohne|vorbehaltlich|zustimm\w*|sofern|wenn",
        ),
    )
)
# What a statement may say only if the source says such a thing.
_ONLY_AS_TOLD: Final = tuple(
    _words(each)
    for each in (
        r"erste[rnms]?",
        r"zweite[rnms]?",
        r"dritte[rnms]?",
        r"letzte[rnms]?",
        r"gr\u00f6\u00dfte[rnms]?|h\u00f6chste[rnms]?|kleinste[rnms]?|niedrigste[rnms]?",
        r"fr\u00fchestens",
        r"sp\u00e4testens",
        r"anfang|fr\u00fch",
        r"ende|sp\u00e4t",
        r"mitte",
        r"zweimal|doppelt",
        r"grunds\u00e4tzlich|\u00fcblicherweise|regelm\u00e4\u00dfig|generell|meist|in\s+der\s+regel|normalerweise|gew\u00f6hnlich",
        r"fast|nahezu|beinahe",
        r"gemeinsam|zusammen|beide[rnms]?",
        r"derzeit|aktuell|gegenw\u00e4rtig|zurzeit|heute",
        r"inklusive|einschlie\u00dflich|inbegriffen",
        r"exklusive|ausschlie\u00dflich|ohne",
        r"zuz\u00fcglich",
        r"abz\u00fcglich",
        r"negativ\w*",
        r"positiv\w*",
        r"leicht|geringf\u00fcgig|moderat",
        r"deutlich|stark|kr\u00e4ftig|sp\u00fcrbar|erheblich|massiv",
        r"will|wollen",
    )
)
_BOTH: Final = _words(r"und|sowie|beide\w*|zwei")
_UNITS: Final = r"(?P<unit>tag|woche|monat|quartal|jahr)\w*"
_PER: Final = re.compile(
    rf"\b(?P<count>\d+|ein\w*|zwei|drei|vier|f\u00fcnf|sechs|sieben|acht|neun|zehn|jede\w*|pro|je)\s+{_UNITS}\b",
    re.IGNORECASE,
)
_EACH: Final = re.compile(r"jede|pro|je$", re.IGNORECASE)
_LINKED: Final = tuple(
    re.compile(rf"(?P<one>\w+)\s+{link}\s+(?:(?:die|das|der|den|dem|eine?n?)\s+)?(?P<other>\w+)", re.IGNORECASE)
    for link in ("und", "oder")
)
# A preposition of time and the word behind it, which may have been blanked if it is a date.
_TIMES: Final = tuple(
    re.compile(
        rf"\b(?:{which})\s+(?:(?:dem|der|des|die|das|den|einem|einer|zum)\s+)*(?P<what>[^\W\d]+|\d+|[.,;]|$)", re.I
    )
    for which in (r"bis(?:\s+zum)?|vor", r"ab|seit|nach")
)
_ITSELF: Final = _words(
    r"wir|unser\w*|uns|unternehmen\w*|gesellschaft|konzern\w*|instituts?|firma|gruppe|bank|fonds|vorstand\w*|emittent\w*"
)
_BEGINS_WITH_ITSELF: Final = re.compile(
    r"^\W*(?:die|das|der)\s+(?P<who>unternehmen|gesellschaft|konzern|institut|firma|gruppe|bank|fonds|emittentin)\s+(?=[a-z\u00e4\u00f6\u00fc])",
    re.IGNORECASE,
)
# A sentence that begins with what its subject is not: its order says nothing of who does what.
_BEGINS_OTHERWISE: Final = re.compile(
    r"^\W*(?:den|dem|einen|einem|im|in|am|an|zum|zur|bis|ab|mit|nach|vor|seit|bei|f\u00fcr|auf|\u00fcber|unter|durch|von|vom|aus|als|des)\b",
    re.IGNORECASE,
)
_FOR_WHOM: Final = re.compile(
    r"^\W*(?P<noun>[A-Z\u00c4\u00d6\u00dc]\w+)\s+(?:von|an|aus|f\u00fcr|der|des|in|mit|bei)\s+(?P<whom>[^,;.]+?)\s+"
    r"(?:sind|ist|d\u00fcrfen|darf|m\u00fcssen|muss|erhalten|gelten|gilt|unterliegen|bed\u00fcrfen)\b"
)
_RULE: Final = _words(
    r"sind|ist|d\u00fcrfen|darf|m\u00fcssen|muss|erhalten|gelten|gilt|unterliegen|bed\u00fcrfen|untersagt|verboten|erlaubt|zul\u00e4ssig"
)


def turns_in_german(sentence: str, piece: str, asked: str) -> bool:
    """Return whether a German sentence says something else than its source, though by the same words."""
    said = f"{sentence} {asked}"
    if any(told.search(piece) and not known.search(said) for told, known in _MUST_BE_SAID):
        return True
    if any(each.search(sentence) and not _is_told(each, f"{piece} {asked}") for each in _ONLY_AS_TOLD):
        return True
    return (
        _changes_unit(sentence, piece)
        or _turns_time(sentence, piece)
        or _joins(sentence, piece)
        or _names_itself(sentence, piece)
        or _leaves_out_whom(sentence, piece, asked)
        or _is_reversed(sentence, piece)
    )


def _is_told(word: re.Pattern[str], told: str) -> bool:
    return word.search(told) is not None or ("beide" in word.pattern and _BOTH.search(told) is not None)


def _changes_unit(sentence: str, piece: str) -> bool:
    """Return whether a count has another unit: 30 months for 30 days, each year for each month."""
    said, told = _units(sentence), _units(piece)
    return any(count in told and not said[count] & told[count] for count in said)


def _units(text: str) -> dict[str, set[str]]:
    found: dict[str, set[str]] = {}
    for each in _PER.finditer(text):
        count = "je" if _EACH.match(each["count"]) else each["count"].lower()
        found.setdefault(count, set()).add(each["unit"].lower())
    return found


def _turns_time(sentence: str, piece: str) -> bool:
    said, told = (
        [{each["what"].lower() for each in way.finditer(text)} for way in _TIMES] for text in (sentence, piece)
    )
    return any(bool((said[one] & told[other]) - told[one]) for one, other in ((0, 1), (1, 0)))


def _joins(sentence: str, piece: str) -> bool:
    """Return whether a sentence joins by "and" what its source joins by "or"."""
    said, told = _pairs(_LINKED[0], sentence), _pairs(_LINKED[1], piece)
    return bool(said & told)


def _pairs(link: re.Pattern[str], text: str) -> set[tuple[str, str]]:
    return {(each["one"].lower(), each["other"].lower()) for each in link.finditer(text)}


def _names_itself(sentence: str, piece: str) -> bool:
    """Return whether a sentence has the company do what somebody else does in the source."""
    begins = _BEGINS_WITH_ITSELF.match(sentence)
    if begins is None or _ITSELF.search(piece):
        return False
    words = telling_words(piece, _LANGUAGE)
    return bool(words) and find_word(words[0], tell(sentence, _LANGUAGE), _LANGUAGE) < 0


def _leaves_out_whom(sentence: str, piece: str, asked: str) -> bool:
    """Return whether a rule for some is said of all: "Zahlungen sind verboten" of those to minors."""
    found = _FOR_WHOM.match(piece)
    if found is None or not _RULE.search(sentence):
        return False
    said = tell(f"{sentence} {asked}", _LANGUAGE)
    whom = telling_words(found["whom"], _LANGUAGE)
    begins = re.match(rf"\W*(?:(?:die|alle)\s+)?{re.escape(found['noun'])}\b", sentence, re.IGNORECASE)
    return begins is not None and bool(whom) and not any(find_word(each, said, _LANGUAGE) >= 0 for each in whom)


def _is_reversed(sentence: str, piece: str) -> bool:
    """Return whether the nouns before and behind a verb are exchanged: "A kaufte B", "B kaufte A"."""
    if _BEGINS_OTHERWISE.match(sentence) or _BEGINS_OTHERWISE.match(piece):
        return False
    told = telling_words(piece, _LANGUAGE)
    places = [
        (place, word[0].isupper())
        for word in dict.fromkeys(_WORD.findall(sentence))
        for term in telling_words(word, _LANGUAGE)
        if (place := find_word(term, told, _LANGUAGE)) >= 0
    ]
    highest = -1
    behind = _lowest_behind(places)
    for (place, is_noun), lowest in zip(places, behind, strict=True):
        if is_noun:
            highest = max(highest, place)
        elif lowest < place < highest:
            return True
    return False


def _lowest_behind(places: Sequence[tuple[int, bool]]) -> list[int]:
    """Return for each word the first place in the source of the nouns that follow it in the sentence."""
    lowest, found = sys.maxsize, []
    for place, is_noun in reversed(places):
        found.append(lowest)
        lowest = min(lowest, place) if is_noun else lowest
    return found[::-1]
