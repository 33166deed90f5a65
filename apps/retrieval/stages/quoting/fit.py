"""Rate how far a sentence or row has the form of the answer that is asked for: a date, a name, a reason."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Final

from apps.filings.text.dates import read_dates
from apps.filings.text.period_mentions import read_period_mentions
from apps.retrieval.contracts import AnswerKind, Quote
from apps.retrieval.stages.ranking.relevance import holds_number

_COUNT_WORD: Final = re.compile(
    r"\b(?:no|none|nobody|zero|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|once|twice|half|third|quarter|double"
    r"|kein\w*|null|ein\w{0,2}|zwei|drei|vier|f\u00fcnf|sechs|sieben|acht|neun|zehn|elf|zw\u00f6lf|h\u00e4lfte|drittel|viertel|doppelt\w*)\b",
    re.IGNORECASE,
)
_TIME_SPAN: Final = re.compile(
    r"\b(?:(?:business|working|calendar|trading)\s+)?(?:seconds?|minutes?|hours?|days?|nights?|weeks?|months?|quarters?|years?|daily|weekly|monthly"
    r"|quarterly|annual(?:ly)?|yearly|twice|once|every|immediately|without\s+delay|promptly|decade|age"
    r"|sekunden?|minuten?|stunden?|tage?n?|\w*tage?n?|n\u00e4chte?n?|wochen?|monate?n?|\w*quartale?n?|jahre?n?|t\u00e4glich|w\u00f6chentlich|monatlich"
    r"|viertelj\u00e4hrlich|halbj\u00e4hrlich|j\u00e4hrlich|unverz\u00fcglich|sofort|einmal|zweimal)\b",
    re.IGNORECASE,
)
_MONTH_OR_YEAR: Final = re.compile(
    r"\b(?:january|february|march|april|may|june|july|august|september|october|november|december|monday|tuesday|wednesday|thursday|friday"
    r"|noon|midnight|a\.m\.|p\.m\.|januar|februar|m\u00e4rz|mai|juni|juli|oktober|dezember|montag|dienstag|mittwoch|donnerstag|freitag|uhr|spring|summer|autumn"
    r"|winter|fr\u00fchjahr|sommer|herbst)\b|\b(?:19|20)\d{2}\b|\b\d{1,2}[:.]\d{2}\b|\b(?:first|second|third|fourth)\s+quarter\b|\bQ[1-4]\b",
    re.IGNORECASE,
)
# A day by its distance from another: "by the third working day", "within 120 days", "at the end of the year".
_RELATIVE_DAY: Final = re.compile(
    r"\b(?:first|second|third|fourth|fifth|sixth|last|\d{1,2}(?:st|nd|rd|th))\s+(?:(?:working|business|trading|calendar)\s+)?day\b"
    r"|\bwithin\s+(?:\w+\s+){1,2}(?:hours?|days?|weeks?|months?|years?)\b|\bat\s+the\s+(?:end|beginning)\s+of\b|\bthe\s+same\s+day\b"
    r"|\b(?:ersten|zweiten|dritten|vierten|f\u00fcnften|letzten|\d{1,2}\.)\s+(?:\w*tag\w*)\b|\bam\s+selben\s+tag\b"
    r"|\b(?:binnen|innerhalb)\s+(?:\w+\s+){1,3}\w*(?:stunden|tagen?|wochen|monaten?|jahren?)\b|\b(?:zum|am)\s+(?:ende|beginn)\s+de[sr]\b",
    re.IGNORECASE,
)
# "How long does it run?" is also answered by the day on which it ends.
_UNTIL: Final = re.compile(r"\b(?:until|till|bis)\b", re.IGNORECASE)
# "How long must it be?" may ask for a size.
_LENGTH: Final = re.compile(
    r"\b\d[\d.,]*\s*(?:characters?|words?|pages?|lines?|sentences?|met(?:re|er)s?|km|cm|mm|miles?|feet|zeichen|w\u00f6rter|seiten|zeilen|s\u00e4tze|meter)\b",
    re.IGNORECASE,
)
_CONDITION: Final = re.compile(
    r"\b(?:when(?:ever)?|if|once|unless|as\s+soon\s+as|as\s+long\s+as|in\s+case|wenn|falls|sobald|sofern|solange)\b",
    re.IGNORECASE,
)
_REASON: Final = re.compile(
    r"\b(?:because|since|due\s+to|owing\s+to|driven\s+by|thanks\s+to|as\s+a\s+result|result(?:s|ed|ing)?\s+(?:from|of)|caus(?:e|es|ed|ing)"
    r"|reflect(?:s|ed|ing)?|attribut\w+|reasons?|therefore|so\s+that|in\s+order\s+to|to\s+avoid|on\s+account\s+of|led\s+to|leads\s+to|explain\w*"
    r"|stem(?:s|med)\s+from|as\s+(?:the|customers|more|a)|mainly|primarily|chiefly|for\s+fear|would\s+otherwise|helped\s+by|held\s+back\s+by|hurt\s+by"
    r"|weil|da|denn|wegen|aufgrund|auf\s+grund|infolge|dank|durch|daher|deshalb|darum|deswegen|grund|gr\u00fcnde|ursache|zur\u00fcckzuf\u00fchren|beruht|bedingt|damit"
    r"|um\s+zu|haupts\u00e4chlich|vor\s+allem|ausschlaggebend)\b",
    re.IGNORECASE,
)
_DEFINES: Final = re.compile(
    r"\b(?:means?|meant|refers?\s+to|is\s+(?:an?|the|any|defined|understood|treated|one|when|where)|are\s+(?:defined|those|all|any)|denotes?|defin\w+|stands?\s+for"
    r"|counts?\s+as|includes?|qualif\w+\s+as|consists?\s+of|describes?|shows?\s+(?:how|what|the)|measures?"
    r"|bedeutet|bezeichnet|ist\s+(?:ein\w{0,2}|der|die|das|jede\w?)|sind\s+(?:alle|die)|gilt\s+als|gelten\s+als|versteht\s+man|verstehen\s+wir|definiert|umfasst|liegt\s+vor"
    r"|meint|misst)\b|\u201c?:\s",
    re.IGNORECASE,
)
_CAPITALISED: Final = re.compile(r"(?<!^)(?<![.!?:]\s)(?<!\|\s)\b[A-Z\u00c4\u00d6\u00dc][\w\u00c0-\u024f'\u2019-]+")
_TITLE: Final = re.compile(
    r"\b(?:Mr|Mrs|Ms|Dr|Prof|Herr|Frau|chair\w*|officers?|directors?|committees?|board|auditors?|LLP|GmbH|AG|plc|Inc|Ltd|Bank|Authority|Commission|Vorstand|Ausschuss"
    r"|Leiter\w*|Beh\u00f6rde|departments?|team|unit"
    # Whoever acts, by the office: "the head of treasury signs", "a second handler checks".
    r"|(?:[Aa]n?|[Tt]he|[Oo]ur|[Tt]wo|[Ee]ach|second)\s+(?:\w+\s+)?(?:head|leader|manager|handler|adviser|clerk|inspector|treasurer|secretary|deputy)s?)\b"
)
_LISTED: Final = re.compile(r",\s+(?:and|or|und|oder|sowie)?|;|\n|\band\b|\bund\b|\bsowie\b|:\s*$", re.IGNORECASE)
_RULES: Final = re.compile(
    r"\b(?:must|may|shall|should|can(?:not)?|require\w*|allow\w*|permit\w*|prohibit\w*|forbidden|only|never|not|no|unless|limit\w*|is\s+to|are\s+to|has\s+to"
    r"|muss|m\u00fcssen|darf|d\u00fcrfen|soll\w*|kann|k\u00f6nnen|erlaubt|verboten|untersagt|zul\u00e4ssig|unzul\u00e4ssig|nur|nie|nicht|kein\w*|ist\s+zu|sind\s+zu|verpflichtet)\b",
    re.IGNORECASE,
)
_SEVERAL: Final = 2
_STATED: Final = 0.6
# In the present, "when" may ask for the case: "when is a survey needed?"
_CASE_ASKED: Final = re.compile(
    r"\W*(?:when\s+(?:is|are|do|does|may|must|can|should)|wann\s+(?:ist|sind|wird|werden|darf|d\u00fcrfen|muss|m\u00fcssen|kann|k\u00f6nnen))\b",
    re.IGNORECASE,
)
_BOUND: Final = (
    r"(?:(?:of|for|with|from|von|mit|ab|f\u00fcr)\s+)?(?:(?:more|less|fewer|higher|lower|older|younger)\s+than|above|over|below|under"
    r"|up\s+to|at\s+(?:least|most)|mehr\s+als|weniger\s+als|\u00fcber|unter|ab|bis\s+zu|mindestens|h\u00f6chstens)\s+(?:that\b|dies\b|\w*\d|(?:two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|zwei|drei|vier|f\u00fcnf|sechs|sieben|acht|neun|zehn|elf|zw\u00f6lf)\b)"
)
_CASE: Final = re.compile(
    rf"\b(?:(?:for|with|from|by|at|bei|f\u00fcr|mit)\s+\w+\s+{_BOUND}|(?:after|upon|nach)\s+(?:an?|the|eine[rm]?|de[rm])\s+\w+"
    r"|only\s+(?:with|after|for|in|by)|nur\s+(?:mit|nach|bei|f\u00fcr|in))",
    re.IGNORECASE,
)
# "Which country suffered?" is answered by "Chile suffered", although each sentence begins with a capital.
_DOES: Final = re.compile(r"\W*(?:who|which\s+\w+)\s+(\w{3,}ed)\b", re.IGNORECASE)
_NAME_FIRST: Final = r"(?!(?:It|He|She|They|This|That|Nobody|None|Everybody|Each|Both|Others?)\b)[A-Z]\w+(?<!s)"
_WHICH: Final = re.compile(r"\b(?:which|welche)\s+(\w+)\b", re.IGNORECASE)
# "Which limits apply?" is answered by one limit with its figure.
_LIMITS: Final = re.compile(
    r"\b(?:which|welche)\s+(?:\w+\s+)?(\w*(?:limit|threshold|ceiling|\bcap|grenze))(?:e?s|n)\b", re.IGNORECASE
)


def fits_kind(kind: AnswerKind, quote: Quote, question: str = "") -> float:
    """Return how far a piece has the form of an answer of this kind, 0 to 1.

    A form is necessary and not sufficient: a sentence with a date need not give the date that is asked for.

    Args: question: what is asked, if a form that only some questions of the kind allow is to be seen.
    """
    fit = _FITS[kind](quote.text)
    if fit < _STATED and _states_a_case(kind, quote.text, question):
        return _STATED
    return fit


def _states_a_case(kind: AnswerKind, text: str, question: str) -> bool:
    """Return whether a text says in which case it holds, where the question asks for the case and for no day or list.

    A name that begins its sentence is told by the verb of the question.

    Examples: "When is a survey needed?": "for sums above 2 million". "Which boats are refused?": "Boats of more than
    nine metres".
    """
    if kind is AnswerKind.DATE and _CASE_ASKED.match(question):
        return _CASE.search(text) is not None
    if kind is AnswerKind.NAME:
        asked = _DOES.match(question)
        return asked is not None and re.search(rf"(?m)^{_NAME_FIRST}\s+{re.escape(asked[1])}\b", text) is not None
    if kind is not AnswerKind.LIST:
        return False
    which, limits = _WHICH.search(question), _LIMITS.search(question)
    forms = [rf"\b{re.escape(which[1])}\s+{_BOUND}"] if which else []
    forms += [rf"\b{re.escape(limits[1])}\w{{0,2}}\s+(?:\w+\s+){{0,2}}\d"] if limits else []
    return any(re.search(form, text, re.IGNORECASE) for form in forms)


def _number(text: str) -> float:
    if holds_number(_without_dates(text)):
        return 1.0
    return 0.5 if _COUNT_WORD.search(text) else 0.0


def _date(text: str) -> float:
    if read_dates(text) or read_period_mentions(text).named:
        return 1.0
    if _MONTH_OR_YEAR.search(text):
        return 0.9
    if _RELATIVE_DAY.search(text):
        return 0.8
    # "When does a price count as an outlier?" is answered by a condition.
    return 0.6 if _CONDITION.search(text) else 0.0


def _duration(text: str) -> float:
    if _TIME_SPAN.search(text) or _LENGTH.search(text):
        return 1.0
    return (0.9 if _UNTIL.search(text) else 0.2) * _date(text)


def _name(text: str) -> float:
    names = len(_CAPITALISED.findall(text))
    return min(1.0, 0.35 * min(names, _SEVERAL) + (0.3 if _TITLE.search(text) else 0.0))


def _list(text: str) -> float:
    return min(1.0, 0.3 * len(_LISTED.findall(text)))


def _reason(text: str) -> float:
    return 1.0 if _REASON.search(text) else 0.3


def _definition(text: str) -> float:
    return 1.0 if _DEFINES.search(text) else 0.3


def _yes_no(text: str) -> float:
    return 1.0 if _RULES.search(text) else 0.6


def _any(text: str) -> float:
    return 1.0 if _RULES.search(text) else 0.7


def _without_dates(text: str) -> str:
    for each in reversed(read_dates(text)):
        text = text[: each.start] + " " * (each.end - each.start) + text[each.end :]
    return text


_FITS: Final[Mapping[AnswerKind, Callable[[str], float]]] = {
    AnswerKind.NUMBER: _number,
    AnswerKind.DATE: _date,
    AnswerKind.DURATION: _duration,
    AnswerKind.NAME: _name,
    AnswerKind.LIST: _list,
    AnswerKind.REASON: _reason,
    AnswerKind.DEFINITION: _definition,
    AnswerKind.YES_NO: _yes_no,
    AnswerKind.TEXT: _any,
}
