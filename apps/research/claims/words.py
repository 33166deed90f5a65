"""The words by which a sentence says what sort of claim it makes. English and German; forms, not wordings."""

from __future__ import annotations

import re
from typing import Final


def _words(pattern: str) -> re.Pattern[str]:
    return re.compile(rf"(?<![\w-])(?:{pattern})(?![\w-])", re.IGNORECASE)


FORWARD: Final = _words(
    r"will|shall|expect(?:s|ed|ing)?(?!\s+credit)|anticipat(?:e|es|ed|ing)|forecast(?:s|ed)?|guidance|outlook|targets?|targeting"
    r"|intends?|plans?\s+to|aims?\s+to|is\s+set\s+to|project(?:s|ed)\s+(?:to|that)|going\s+forward|should|could|may\s+\w+|might"
    r"|erwarte(?:t|n|te|ten)|werden\s+\w+\s+(?:steigen|sinken|wachsen|liegen)|wird\s+(?:\S+\s+){0,8}(?:steigen|sinken|wachsen|liegen|erreichen|betragen)"
    r"|prognos\w+|rechne[nt]\s+mit|plan(?:t|en)|ausblick|soll(?:en|te|ten)?|strebt|beabsichtig\w+|künftig|voraussichtlich"
)
OPINION: Final = _words(
    r"believes?|proud|pleased|delighted|confident|excited|excellent|outstanding|impressive|remarkable|world[\s-]class|leading"
    r"|unique|exceptional|superb|best[\s-]in[\s-]class|attractive|promising|in\s+our\s+(?:view|opinion)"
    r"|glaub(?:t|en)|stolz|zuversichtlich|erfreut|erfreulich\w*|hervorragend\w*|ausgezeichnet\w*|überzeugt|beeindruckend\w*"
    r"|einzigartig\w*|führend\w*|unserer\s+(?:Ansicht|Meinung)\s+nach"
)
EVENT: Final = _words(
    r"acquir(?:ed|es)|acquisition|merg(?:ed|er)|divest\w*|sold\s+its|launch(?:ed|es)|open(?:ed|s)\s+(?:a|its|an)|appoint(?:ed|s)"
    r"|resign(?:ed|s)|announc(?:ed|es)|sign(?:ed|s)\s+(?:a|an)|complet(?:ed|es)\s+(?:the|its)|repurchas(?:ed|es)|issued|closed\s+(?:its|the|a)"
    r"|erw(?:arb|orben)|übern(?:ahm|ommen|ahme)|verkauft\w*|verschmolzen|fusionier\w*|ernannt\w*|bestellt\w*|eröffnet\w*|gründete"
)
ATTRIBUTION: Final = _words(
    r"according\s+to|said|says|stated|states|reported\s+by|as\s+reported|told|laut|zufolge|sagte|erklärte|gemäß\s+\w+"
)
NEGATION: Final = re.compile(
    r"\b(?:not|never|n['\u2019]t|neither|nor|no\s+longer|nicht|keine?[nmsr]?|niemals|weder)\b|n['\u2019]t\b|\bfailed\s+to\b",
    re.IGNORECASE,
)
ABOUT: Final = re.compile(
    r"\b(?:about|around|roughly|approximately|approx\.?|nearly|almost|some|circa|ca\.|c\.|close\s+to|rund|etwa|ungefähr|knapp|fast|gut)\s*"
    r"(?:the\s+)?(?:US\$|[$€£]|[A-Z]{3}\s?)?$",
    re.IGNORECASE,
)
AT_LEAST: Final = re.compile(
    r"\b(?:more\s+than|over|above|exceed(?:s|ed|ing)|at\s+least|in\s+excess\s+of|mehr\s+als|über|mindestens)\s*(?:US\$|[$€£]|[A-Z]{3}\s?)?$",
    re.IGNORECASE,
)
AT_MOST: Final = re.compile(
    r"\b(?:less\s+than|under|below|fewer\s+than|at\s+most|up\s+to|weniger\s+als|unter|höchstens|bis\s+zu)\s*(?:US\$|[$€£]|[A-Z]{3}\s?)?$",
    re.IGNORECASE,
)
TO: Final = re.compile(
    r"\b(?:to|auf|at|bei|reach(?:ed|es|ing)|reaching|amounted\s+to)(?:\s+(?:about|around|roughly|approximately|nearly|almost|some|over|more\s+than|rund|etwa"
    r"|knapp|fast|über))?\s*(?:US\$|[$€£]|[A-Z]{3}\s?)?$",
    re.IGNORECASE,
)
FROM: Final = re.compile(
    r"\b(?:from|versus|vs\.?|against|compared\s+(?:with|to)|after|up\s+from|down\s+from|(?<!more\s)(?<!less\s)(?<!fewer\s)(?<!greater\s)(?<!higher\s)(?<!lower\s)than|von|nach|gegenüber|verglichen\s+mit"
    r"|im\s+Vergleich\s+zu|statt|Vorjahr|Vorjahreswert):?(?:\s+the\b)?(?:\s+(?:about|around|roughly|rund|etwa))?\s*\(?(?:US\$|[$€£]|[A-Z]{3}\s?)?$",
    re.IGNORECASE,
)
NEGATIVE: Final = re.compile(
    r"\b(?:loss(?:es)?|deficit|negative|shortfall|verlust\w*|\w*fehlbetrag\w*|negativ\w*|fehlbetr\w+)\b", re.IGNORECASE
)
RECORD: Final = re.compile(
    r"\b(?:record(?![\s-]+(?:date|keep\w*|of|in\s+the))(?:[\s-]+(?:high|level|year))?|all[\s-]time\s+high|rekord\w*|höchststand|bestwert)\b",
    re.IGNORECASE,
)
RECORD_LOW: Final = re.compile(r"\b(?:record\s+low|all[\s-]time\s+low|rekordtief|tiefststand)\b", re.IGNORECASE)
SINCE: Final = re.compile(
    r"\b(?:since|seit|ever\s+since)\s+(?:fiscal\s+|FY\s?)?(?P<year>(?:19|20)\d{2})\b", re.IGNORECASE
)
IN_YEARS: Final = re.compile(
    r"\b(?:in|for|of\s+the\s+(?:last|past)|in\s+the\s+(?:last|past)|seit|der\s+letzten|in\s+den\s+letzten)\s+"
    r"(?P<count>\d{1,2}|two|three|four|five|six|seven|eight|nine|ten|zwei|drei|vier|fünf|sechs|sieben|acht|neun|zehn)\s+(?:years|jahren?)\b",
    re.IGNORECASE,
)
COUNTS: Final = {
    word: number
    for words in ("two three four five six seven eight nine ten", "zwei drei vier fünf sechs sieben acht neun zehn")
    for number, word in enumerate(words.split(), start=2)
}
GROWTH: Final = re.compile(r"[\s-]*(?:growth(?:\s+rate)?|wachstum)\b", re.IGNORECASE)
MARGIN: Final = re.compile(
    r"[\s-]*(?:margin|ratio|marge|quote|per\s+(?!cent)\w+|pro\s+(?:mitarbeiter|kopf|aktie)|je\s+\w+"
    r"|as\s+a\s+(?:percentage|share|proportion)|(?:before|excluding|net\s+of|ex|without|vor|ohne|exklusive)\s+\w+)",
    re.IGNORECASE,
)
QUALIFIER: Final = re.compile(
    r"\b(?:adjusted|underlying|organic|pro[\s-]forma|normali[sz]ed|recurring|core|average|like[\s-]for[\s-]like|comparable|domestic"
    r"|international|foreign|segment|divisional|constant[\s-]currency|annuali[sz]ed|restated\s+pro|bereinigt\w*|organisch\w*"
    r"|durchschnittlich\w*|vergleichbar\w*|ausländisch\w*|inländisch\w*)\s+(?:\w+\s+)?$",
    re.IGNORECASE,
)
QUALIFIED_LATER: Final = re.compile(
    r"\b(?:organic(?:ally)?|on\s+(?:an?\s+)?(?:adjusted|underlying|organic|comparable|like-for-like|constant[\s-]currency|pro[\s-]forma)\b"
    r"|at\s+constant\s+(?:currency|exchange)|währungsbereinigt\w*|bereinigt\w*|auf\s+vergleichbarer\s+basis|annuali[sz]ed)",
    re.IGNORECASE,
)
RESPECTIVELY: Final = re.compile(r"\b(?:respectively|beziehungsweise|bzw\.?|jeweils)\b", re.IGNORECASE)
OWN: Final = re.compile(
    r"\b(?:we|our|us|its|it|the\s+(?:company|group|firm|fund|bank)|wir|unser\w*|das\s+unternehmen|der\s+konzern|die\s+gesellschaft"
    r"|die\s+gruppe|der\s+fonds|die\s+bank|they|their)\b",
    re.IGNORECASE,
)
PRIOR: Final = re.compile(
    r"\b(?:(?:the\s+)?(?:previous|prior|preceding|last)\s+(?:fiscal\s+|financial\s+)?year|(?:a|one)\s+year\s+(?:earlier|before|ago)"
    r"|the\s+year\s+before|year[\s-](?:over|on)[\s-]year|yoy|vorjahr\w*)(?:['\u2019]s)?",
    re.IGNORECASE,
)
CALENDAR: Final = re.compile(r"\b(?:calendar(?:\s+year)?|kalenderjahr\w*)\b", re.IGNORECASE)
MORE_THAN: Final = re.compile(
    r"\b(?P<more>higher\s+than|larger\s+than|greater\s+than|more\s+than|exceed(?:s|ed)|above|höher\s+als|größer\s+als|mehr\s+als|übertraf)\b"
    r"|\b(?P<less>lower\s+than|smaller\s+than|less\s+than|below|niedriger\s+als|geringer\s+als|kleiner\s+als|weniger\s+als)\b",
    re.IGNORECASE,
)
