"""Read which kind of answer a question asks for: a number, a date, a name, a list, yes or no, a reason."""

from __future__ import annotations

import re
from typing import Final

from apps.retrieval.contracts import AnswerKind

_PATTERNS: Final[tuple[tuple[AnswerKind, str], ...]] = (
    (
        AnswerKind.REASON,
        r"\bwhy\b|\bhow\s+come\b|\breasons?\b|\bcaus(?:e|es|ed|ing)\b|\b(?:what|which)\b[^?]{0,60}?\b(?:drove|drives?|driving|led|leads"
        r"|explains?|prompted|triggered|contributed|behind|due\s+to|responsible\s+for)\b|\bwhat['\u2019]s\s+behind\b|\bdrivers?\b"
        r"|\b(?:warum|weshalb|wieso|weswegen|wodurch|worauf\s+\w+\s+zur\u00fcck|woran\s+l\w+|gr(?:und|\u00fcnde)\w*|ursachen?)\b",
    ),
    (
        AnswerKind.DURATION,
        r"\bhow\s+(?:long|often|frequently|soon|quickly|fast|old)\b|\bwithin\s+(?:how|what|which)\b"
        r"|\b(?:how\s+many|number\s+of)\s+(?:\w+\s+){0,2}(?:days|weeks|months|years|hours|minutes)\b"
        r"|\b(?:notice|retention|holding|lock-?up|grace|waiting|reporting|cooling-?off)\s+periods?\b|\b(?:time\s+limit|time\s*frame|turnaround)\b"
        r"|\bwie\s+(?:lange|oft|h\u00e4ufig|schnell|alt)\b|\bwie\s+viele\s+(?:\w+\s+)?(?:tage|wochen|monate|jahre|stunden)\b"
        r"|\binnerhalb\s+(?:welche[rs]|wie)|\b\w*fristen?\b|\blaufzeit\b",
    ),
    (
        AnswerKind.DATE,
        r"\bwhen\b|\bwhat\s+(?:is\s+the\s+)?(?:\w+\s+){0,2}(?:date|day|month|year|time)\b|\b(?:which|what)\s+(?:\w+\s+)?(?:day|date|month|year|quarter)\b"
        r"|\b(?:deadline|due\s+date|effective\s+date|maturity\s+date|cut-?off\s+time|date\s+of)\b|\bas\s+of\s+(?:which|what)\b|\bby\s+(?:which|what)\b"
        r"|\bwann\b|\b(?:welche[rsmn]|an\s+welchem)\s+(?:\w+\s+)?(?:tag|datum|monat|jahr|termin|zeitpunkt|stichtag)\b|\bdatum\b|\bseit\s+wann\b|\bbis\s+wann\b",
    ),
    (
        AnswerKind.NUMBER,
        r"\bhow\s+(?:much|many|high|large|big|low|far|strong|wide|expensive)\b|\b(?:what|which)\s+(?:\w+\s+){0,3}?(?:percentage|percent|share|proportion|number|amount|rate|ratio"
        r"|limit|threshold|margin|level|figure|total|price|fee|cap|ceiling|minimum|maximum|value|size|sum)\b"
        r"|\bwie\s+(?:viele?n?|hoch|gro\u00df|stark|teuer|weit|niedrig)\b|\bwelche[rnms]?\s+(?:\w+\s+){0,2}?(?:\w*betrag|\w*anteil|\w*quote|\w*h\u00f6he|\w*anzahl|\w*wert|\w*satz|\w*summe|\w*grenze|\w*marge)\b",
    ),
    (
        AnswerKind.NAME,
        r"\bwho(?:m|se)?\b|\b(?:name|names|identity)\s+of\b|\b(?:which|what)\s+(?:\w+\s+){0,2}(?:person|company|firm|bank|auditor|custodian|depositary|administrator|manager|officer"
        r"|director|committee|department|team|unit|function|body|authority|regulator|supervisor|country|city|court|law|provider|supplier|index|benchmark|segment|fund|system|currency|agency|insurer|product)\b"
        r"|\bwhere\b|\b(?:wer|wem|wen|wessen|wo)\b|\bwie\s+hei\u00dft\b|\bwelche[rsnm]?\s+(?:\w+\s+){0,1}(?:person|gesellschaft|firma|bank|pr\u00fcfer|verwahrstelle|beh\u00f6rde|abteilung|stelle|gremium|ausschuss|land"
        r"|stadt|gericht|recht|index|benchmark|segment|fonds|system|w\u00e4hrung|anbieter)\b",
    ),
    (
        AnswerKind.DEFINITION,
        r"\b(?:mean|means|meant|meaning|defin(?:e|es|ed|ition)|stands?\s+for|understood|refers?\s+to|count(?:s|ed)?\s+as|qualif(?:y|ies)\s+as)\b"
        r"|^\W*what(?:\s+is|['\u2019]s)\s+(?:an?\s+)?[^?]{2,40}\?*$"
        r"|\b(?:bedeutet?|definiert|definition|versteht\s+man|verstanden|gilt\s+als|gelten\s+als|begriff)\b|^\W*was\s+(?:ist|sind)\s+(?:eine?\s+)?[^?]{2,40}\?*$",
    ),
    (
        AnswerKind.LIST,
        r"\b(?:list|lists|enumerate)\b|\bname\s+(?:all|the)\b|\b(?:which|what)\s+(?:\w+\s+){0,4}?\w{3,}s\b|\bwhat\s+are\b|\bwhat\s+(?:kinds?|types?|sorts?)\b|\bwho\s+are\b"
        r"|\bwelche\b|\bnenne?n?\b|\bz\u00e4hl\w*\s+auf\b|\bwas\s+sind\b|\bworaus\b|\bauflistung\b",
    ),
)
_KINDS: Final = tuple((kind, re.compile(pattern, re.IGNORECASE)) for kind, pattern in _PATTERNS)
_AUXILIARY: Final = re.compile(
    r"\W*(?:(?:please|hi|hello|so|and|but|also|ok|quick\s+question|und|aber|bitte|hallo)\W+)*"
    r"(?:is|are|was|were|do|does|did|can|could|may|must|has|have|had|will|would|should|shall|am|isn['\u2019]t|aren['\u2019]t|doesn['\u2019]t|didn['\u2019]t"
    r"|ist|sind|war|waren|hat|haben|hatte|darf|d\u00fcrfen|muss|m\u00fcssen|kann|k\u00f6nnen|wird|werden|wurde|wurden|gibt\s+es|gilt|gelten|soll|sollen|sollte|besteht|bestehen|habe|bin)\b",
    re.IGNORECASE,
)
_WHETHER: Final = re.compile(r"\b(?:whether|if\s+(?:the|we|i|it|a|an|our|there)|ob)\b", re.IGNORECASE)
_COULD_YOU: Final = re.compile(
    r"\W*(?:can|could|would|will|k\u00f6nnen|k\u00f6nnten|kannst)\s+(?:you|sie|du)\b", re.IGNORECASE
)


def read_answer_kind(text: str, *, wants_number: bool = False) -> AnswerKind:
    """Return the kind of answer that a question asks for, by its form alone.

    Args: wants_number: whether the analysis found that a figure is asked for; decides where the form leaves it open.
    """
    if _AUXILIARY.match(text) and not _COULD_YOU.match(text):
        return AnswerKind.YES_NO
    if _WHETHER.search(text) and not _KINDS[0][1].search(text):
        return AnswerKind.YES_NO
    for kind, pattern in _KINDS:
        if not pattern.search(text):
            continue
        if wants_number and kind in (AnswerKind.LIST, AnswerKind.DEFINITION):
            return AnswerKind.NUMBER
        return kind
    return AnswerKind.NUMBER if wants_number else AnswerKind.TEXT
