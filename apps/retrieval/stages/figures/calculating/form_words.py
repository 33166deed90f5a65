"""The words, in English and German, from which the form of a calculation is read. They name no figure."""

from __future__ import annotations

import re
from typing import Final

from apps.filings.text.dates import MONTH


def _words(*patterns: str) -> re.Pattern[str]:
    return re.compile(rf"\b(?:{'|'.join(patterns)})\b", re.IGNORECASE)


RISE: Final = _words(
    r"increas\w*|ris(?:e|es|en|ing)|rose|gr[eo]w(?:s|n|ing|th)?|climb\w*|gain(?:s|ed)?|expand\w*|expansion|jump\w*|improv\w*|strengthen\w*"
    r"|(?:went|go|goes|gone|going)\s+up|rais(?:e|ed|es|ing)|advanc(?:e|ed|es)|widen\w*|broaden\w*|pick(?:s|ed)?\s+up|surg(?:e|ed|es|ing)|soar(?:s|ed|ing)?|swell(?:s|ed)?|swollen|boost(?:s|ed)?",
    r"gestiegen|stieg(?:en)?|anstieg|zunahme|zugenommen|zugelegt|gewachsen|wuchs(?:en)?|wachstum|erh\u00f6ht(?:e|en)?|erh\u00f6hung|zuwachs|aufbau|verbessert(?:e|en)?",
)
FALL: Final = _words(
    r"decreas\w*|fall(?:s|en|ing)?|fell|declin\w*|drop(?:s|ped|ping)?|shr[aiu]nk(?:s|ing)?|reduc(?:e|ed|es|tion)|deteriorat\w*|worsen\w*|weaken\w*|contract(?:ed|ion)|narrow(?:s|ed|ing)?|slip(?:s|ped)?|slid(?:e|es)?|plung(?:e|ed|es)|tumbl(?:e|ed|es)|thinn(?:ed|ing)|erod(?:e|ed|es)|eroding|eased"
    r"|(?:went|go|goes|gone|going|came|come|comes)\s+down",
    r"gesunken|sank(?:en)?|r\u00fcckgang|abnahme|abbau|abgenommen|gefallen|fiel(?:en)?|zur\u00fcckgegangen|verringert(?:e|en)?|verschlechtert(?:e|en)?|geschrumpft",
)
PARTED_RISE: Final = re.compile(
    r"\b(?:leg(?:t|te|ten)|n(?:ahm|ahmen|immt)|steiger(?:t|te|ten))\b[^.?!]{1,160}?\bzu(?=\s*(?:[.?!,;]|$))",
    re.IGNORECASE,
)
PARTED_FALL: Final = re.compile(
    r"\b(?:n(?:ahm|ahmen|immt)|g(?:ing|ingen|eht|ehen)|f(?:iel|ielen|\u00e4llt))\b[^.?!]{1,160}?\b(?:ab|zur\u00fcck)(?=\s*(?:[.?!,;]|$))",
    re.IGNORECASE,
)
"""Verbs whose second part stands at the end of the sentence: "nahm ... zu", "ging ... zur\u00fcck"."""
CHANGE: Final = re.compile(
    r"(?:\u0394|->|\u2192|\b(?:chang(?:e|es|ed|ing)|chg|mov(?:e[sd]?|ements?|ing)|trend(?:s|ed)?|develop(?:ed|ment|s)?|evolv\w*|swing|yoy|year[\s-](?:on|over)[\s-]year"
    r"|delta|direction|became\s+of"
    r"|ver\u00e4nder\w*|\u00e4nder(?:te|ten|ung)|entwickel\w*|(?<!und )entwicklung)\b)",
    re.IGNORECASE,
)
MORE: Final = _words(
    r"more|higher|larger|bigger|greater|better|up|mehr|h\u00f6her(?:e[nrsm]?)?|gr\u00f6\u00dfer(?:e[nrsm]?)?|besser(?:e[nrsm]?)?"
)
LESS: Final = _words(
    r"less|lower|smaller|fewer|worse|down|weniger|niedriger(?:e[nrsm]?)?|geringer(?:e[nrsm]?)?|kleiner(?:e[nrsm]?)?|schlechter(?:e[nrsm]?)?"
)
HIGHER: Final = _words(r"more|higher|larger|bigger|greater|above|exceed\w*|mehr|h\u00f6her\w*|gr\u00f6\u00dfer\w*")
LOWER: Final = _words(r"less|lower|smaller|fewer|below|weniger|niedriger\w*|geringer\w*|kleiner\w*")
"""What is more or less, whether or not that is good."""
PERCENT: Final = re.compile(
    r"%|\b(?:per\s?cent(?:age)?s?|pct|prozent(?:ual|uale)?|\w+quote|\w*marge|growth\s+rate|rate\s+of\s+(?:growth|change))\b",
    re.IGNORECASE,
)
COMPOUND_NOUN: Final = re.compile(
    r"\b(?P<of>[A-Z\u00c4\u00d6\u00dca-z\u00e4\u00f6\u00fc\u00df-]{4,}?)s?-?"
    r"(?P<form>wachstum|r\u00fcckgang|anstieg|steigerung|ver\u00e4nderung|zuwachs|zunahme|abnahme|abbau|aufbau|entwicklung"
    r"|st\u00e4rkste[nrsm]?|schw\u00e4chste[nrsm]?)(?=s?\b)",
    re.IGNORECASE,
)
"""A German word of a figure and a form: "Umsatzwachstum", "ertragsst\u00e4rkster"."""
MONEY_ASKED: Final = re.compile(
    r"(?:US|C|A|HK)?[$\u20ac\u00a3]|\b(?:dollars?|euros?|in\s+(?:USD|EUR|GBP|CHF|NOK|SEK|DKK|JPY))\b", re.IGNORECASE
)
GROWTH_RATE: Final = re.compile(
    r"%|\b(?:per\s?cent|pct|prozent\w*|(?:growth\s+rate|rate\s+of\s+(?:growth|change))|wachstumsrate)\b", re.IGNORECASE
)
COMPOUND: Final = _words(
    r"CAGR|compound(?:ed|ing)?(?:\s+(?:annual|yearly|average))*(?:\s+(?:rate\s+of\s+)?growth)?(?:\s+rate)?",
    r"(?:average|(?:geometric\s+)?mean)\s+(?:annual|yearly)\s+(?:rate\s+of\s+)?growth(?:\s+rate)?|annuali[sz]ed\s+(?:rate\s+of\s+)?growth(?:\s+rate)?",
    r"(?:durchschnittliche[nrs]?\s+)?j\u00e4hrliche[nrs]?\s+wachstum(?:srate)?",
)
PER_YEAR: Final = _words(
    r"(?:per|a|each|every)\s+(?:year|annum)|yearly|annual(?:ly|i[sz]ed)?|p\.a",
    r"(?:pro|im|jedes)\s+jahr|j\u00e4hrlich\w*",
)
AVERAGE: Final = _words(r"averag(?:e|es|ed)|avg|mean|durchschnitt(?:lich\w*)?|mittelwert|im\s+(?:mittel|schnitt)")
SUM: Final = _words(
    r"sum|add(?:s|ed|ing)?\s+(?:it\s+|them\s+)?(?:all\s+)?up|together|combined|cumulative(?:ly)?|in\s+aggregate|aggregate|in\s+total(?!\s+[a-z])|grand\s+total|cumulated|totall?(?:ed|ing|led|ling)|altogether|all\s+told",
    r"(?:total|overall)\s+(?=.{0,60}\b(?:over|across)\b)",
    r"summe\s+(?:aus|von|de[rs]|\u00fcber|ergibt)|(?:welche|eine)\s+summe|zusammen(?:gerechnet|genommen)?|insgesamt|kumuliert",
)
HIGHEST: Final = _words(
    r"highest|largest|biggest|greatest|most|best|strongest|top|peak(?:ed)?|maximum|max|fastest|quickest|leading|thickest|fattest|widest|richest|heaviest|steepest|longest|record(?=\s+year)",
    r"(?:am\s+)?(?:h\u00f6chste|gr\u00f6\u00dfte|meiste|st\u00e4rkste|beste|schnellste)[nrsm]?",
)
LOWEST: Final = _words(
    r"lowest|smallest|least|weakest|worst|minimum|min|fewest|slowest|trough|thinnest|narrowest|leanest|slimmest|poorest|lightest|shortest|tightest",
    r"(?:am\s+)?(?:niedrigste|kleinste|geringste|schw\u00e4chste|wenigste|schlechteste)[nrsm]?",
)
GROUP: Final = _words(
    r"segments?|divisions?|regions?|business(?:es)?(?:\s+(?:lines?|areas?|units?))?|countr(?:y|ies)|areas?|categor(?:y|ies)|products?|lines?|items?|types?|kinds?|class(?:es)?"
    r"|(?:operating\s+|cost\s+)?items?|units?|markets?|geograph\w+|sectors?|assets?|liabilit(?:y|ies)|expenses?|costs?|debts?|borrowings?|instruments?|facilit(?:y|ies)|sources?|positions?|part"
    r"|customers?|clients?|suppliers?|brands?|funds?|holdings?|issuers?|counterpart(?:y|ies)|sites?|plants?|stores?|mines?",
    r"segmente?n?s?|(?:geschäfts)?bereiche?n?s?|gesch\u00e4ftsfeld(?:er[ns]?|e?s)?|sparten?|regionen?|l\u00e4nder|land|kategorien?|produkte?|posten|arten?|kunden?|lieferanten?|marken?|standorte?",
)
GROUPS: Final = _words(
    r"segments?|divisions?|regions?|business\s+(?:lines?|areas?|units?)|countr(?:y|ies)|areas?|categor(?:y|ies)|types?|kinds?|units?|sectors?|parts?",
    r"segmente?n?s?|(?:gesch\u00e4fts)?bereiche?n?s?|gesch\u00e4ftsfeld(?:er[ns]?|e?s)?|sparten?|regionen?|kategorien?|arten?|kennzahl(?:en)?",
)
"""Words for rows of one sort, beside the name of one of them: "the Valves segment"."""
WHICH: Final = _words(r"which|what|who|where|welche[rsnm]?|wo|wer")
WHICH_YEAR: Final = re.compile(
    r"\b(?:which|what)\s+(?:\w+\s+){0,3}?years?\b|\bwhen\b|\byear\s+(?:of|with)\s+the\b|\bwelche[mns]?\s+(?:\w+\s+)?jahre?\b|\bwann\b",
    re.IGNORECASE,
)
_YEAR: Final = r"(?:FY\s?|fiscal\s+(?:year\s+)?)?'?(?:19|20)\d\d(?:/\d\d)?"
YEAR_RANGE: Final = re.compile(
    rf"{_YEAR}\s*(?:-|\u2013|\u2014|to|through|until|till|bis)\s*(?:the\s+end\s+of\s+|(?:year[\s-]?)?end\s+)?(?:{_YEAR}|\d\d\b)"
    rf"|\b(?:between|zwischen|from|von)\s+(?:the\s+end\s+of\s+|end\s+)?{_YEAR}\s+(?:and|to|und|bis)\s+"
    r"|\bFY\s?\d\d\s*(?:-|\u2013|to)\s*(?:FY\s?)?\d\d\b|(?<![\w.,/-])[12]\d\s*[-\u2013]\s*[12]\d(?![\w%.,/-])",
    re.IGNORECASE,
)
_A_SHORT_YEAR: Final = rf"(?:{_YEAR}|FY\s?'?\d\d)"
SINCE: Final = re.compile(
    rf"\b(?:since|seit)\s+(?:the\s+end\s+of\s+|year[\s-]end\s+)?(?:{MONTH}\s+(?:\d{{1,2}},?\s+)?)?{_A_SHORT_YEAR}"
    rf"|\b(?:from|ab)\s+{_A_SHORT_YEAR}\s+(?:on|onwards?)\b",
    re.IGNORECASE,
)
COUNTS: Final = {"two": 2, "three": 3, "four": 4, "five": 5, "zwei": 2, "drei": 3, "vier": 4, "f\u00fcnf": 5, "both": 2}
PARTED_BY: Final = _words(r"minus|difference|gap|differenz|unterschied|abz\u00fcglich|bis")
RATIO: Final = re.compile(
    # Commas and blanks are never given back: six hundred of them took seconds.
    r"(?P<above>[^:?.]*?[^:?.,\s])[,\s]++(?:(?:all\s+|das\s+ganze\s+|alles\s+)?(?:divided\s+by|geteilt\s+durch)|(?<!times\s)over(?!\s+(?:the\s+)?(?:last|past|years?|periods?|fiscal|two|three|four|five|all|\d))|relative\s+to|in\s+relation\s+to|im\s+verh\u00e4ltnis\s+zu[rm]?)"
    r"\s+(?P<below>[^:?]+?)(?=[.?:](?:\s|$)|$)",
    re.IGNORECASE,
)
COVERED: Final = (
    re.compile(
        r"\b(?:how\s+(?:many\s+times|often)|by\s+what\s+(?:factor|multiple))(?:\s+over)?\s+(?:did|does|do|could|can|would|will)\s+"
        r"(?P<above>.+?)\s+(?:cover|exceed|pay\s+for)\s+(?P<below>[^?]+)",
        re.IGNORECASE,
    ),
    re.compile(
        r"\bhow\s+(?:many\s+times|often)(?:\s+over)?\s+(?:is|are|was|were)\s+(?P<below>.+?)\s+covered\s+by\s+(?P<above>[^?]+)",
        re.IGNORECASE,
    ),
    re.compile(
        r"\bwie\s+oft\s+(?:ist|sind|war|waren|wird|werden|wurde|wurden)\s+(?P<below>.+?)\s+(?:durch|von)\s+(?P<above>.+?)\s+(?:ab)?gedeckt",
        re.IGNORECASE,
    ),
)
"""How many times one figure covers another."""
TWO_ABOVE: Final = re.compile(
    r"\b(?:excess\s+of\s+(?P<one>.+?)\s+over\s+(?P<two>.+)|sum\s+of\s+(?P<first>.+?)\s+and\s+(?P<second>.+)"
    r"|(?P<left>.+?)\s+(?P<sign>less|minus|plus|abz\u00fcglich|zuz\u00fcglich)\s+(?P<right>.+))",
    re.IGNORECASE,
)
MINUS: Final = _words(r"minus|less(?!\b.*\bthan\b)|abz\u00fcglich")
_ONE_OF_SEVERAL: Final = (
    r"(?:not|nicht|second|third|zweit\w*|dritt\w*|two|three|four|five|zwei|drei|vier|f\u00fcnf|[2-9])"
)
NOT_THE_ONE: Final = re.compile(
    rf"\b{_ONE_OF_SEVERAL}[\s-]+(?:the\s+|de[rmns]\s+|die\s+|das\s+)?(?:{HIGHEST.pattern}|{LOWEST.pattern})",
    re.IGNORECASE,
)
"""Not the largest row, or several of them."""
NEGATED: Final = re.compile(r"\b(?:not|never|nicht|keine?[nrsm]?|nie)\b|n['\u2019]t\b", re.IGNORECASE)
SUPPOSED: Final = re.compile(r"\bwould\s+(?!you\b|it\b|i\b).{1,80}?\bhave\b", re.IGNORECASE)
AMOUNT: Final = re.compile(
    r"\d[\d.,]*\s*(?:%|(?:per\s?cent|percentage|prozent|points?|m|mn|mio|bn|mrd|millions?|billions?|thousand|tausend|millionen|milliarden)\b)"
    r"|\b(?:doubl\w*|tripl\w*|halv\w*|half|twice|(?:a|one|two|three)[\s-](?:third|quarter)s?|verdoppelt\w*|verdreifacht\w*|halbiert\w*|doppelt\w*)\b",
    re.IGNORECASE,
)
BASE_YEAR: Final = re.compile(
    rf"\b(?:than|als)\s+(?:(?:in|im|the|it|year|jahr|was|were|at|end|of)\s+)*(?P<year>{_YEAR})", re.IGNORECASE
)
ADDS: Final = _words(r"plus|zuz\u00fcglich|sum\s+of")
STATES_IT: Final = re.compile(
    r"\b(?:is\s+(?:that|this|it)\s+(?:so|right|true|correct)|(?:true|right|correct)\s+that|stimmt\s+(?:das|es)|trifft\s+(?:das|es)\s+zu|ist\s+das\s+(?:richtig|wahr))\b",
    re.IGNORECASE,
)
A_YEAR: Final = re.compile(r"(?<![\d.,])(?:19|20)\d\d(?!\d)")
YEARS_LISTED: Final = re.compile(
    r"(?<![\d.,])(?:19|20)\d\d(?:\s*(?:,\s*(?:and\s+|und\s+)?|\+|&|\band\b|\bund\b)\s*(?:FY\s?|fiscal\s+)?(?:19|20)\d\d(?!\d))+",
    re.IGNORECASE,
)
UNIT_ASKED: Final = re.compile(
    r"(?:\bin(?:to)?\s+|(?<![\w.])(?=US\$|[$\u20ac\u00a3]|(?-i:[A-Z]{3})\s))(?:(?:[A-Z]{3}|US|U\.S\.|dollars?|euros?|pounds?|[$€£])\s*){0,2}"
    r"(?P<unit>thousands?|millions?|billions?|trillions?|tn|billionen|tsd|teur|t\u20ac|mio|mrd|bn|mn?|k|tausend|millionen|milliarden)\b",
    re.IGNORECASE,
)
UNITS: Final = {
    "thousand": 3,
    "million": 6,
    "billion": 9,
    "trillion": 12,
    "tn": 12,
    "billionen": 12,
    "tausend": 3,
    "millionen": 6,
    "milliarden": 9,
    "tsd": 3,
    "teur": 3,
    "t\u20ac": 3,
    "k": 3,
    "m": 6,
    "mio": 6,
    "mrd": 9,
    "mn": 6,
    "bn": 9,
}
ROUNDED: Final = re.compile(
    r"\b(?P<places>one|two|three|no|eine|zwei|drei|[0-4])\s+(?:decimals?|decimal\s+places?|nachkommastellen?)\b",
    re.IGNORECASE,
)
PLACES: Final = {"no": 0, "one": 1, "two": 2, "three": 3, "eine": 1, "zwei": 2, "drei": 3}
COMPARED: Final = re.compile(
    r"\b(?:differ\w*|gap|minus|less|vs\.?|versus|against|compar\w+|relative\s+to|than|over|on"
    r"|unterschied|differenz|abz\u00fcglich|gegen\u00fcber|ggü\.?|vergl\w+|zu|als)(?=\W|$)",
    re.IGNORECASE,
)
YEARS_COUNTED: Final = re.compile(
    rf"\b(?P<count>{'|'.join(COUNTS)}|[2-9])[\s-]*(?:fiscal\s+|financial\s+|last\s+|reported\s+)?(?:years?|yrs?|y|jahren?)\b",
    re.IGNORECASE,
)
_SHARE: Final = r"(?:share|slice|chunk|percentage|percent|per\s+cent|proportion|fraction|portion|prozent|%)"
_VERB: Final = (
    r"(?:came|comes?|is|are|was|were|went|goes|go|did|does|do|has|had|stem\w*|relate[sd]?|attributable|account\w*|made|consist\w*|belong\w*|falls?"
    r"|fell|represent\w*|sat|sits|spent|went\s+in(?:to)?|flowed\s+in(?:to)?|work(?:s|ed|ing)?|employed)"
)
SHARES: Final = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        r"^(?P<part>[^:?]+?)\s+to\s+(?!(?:FY\s?|fiscal\s+)?\d)(?P<whole>[^:?]+?)\s*\(?(?:%|in\s+%|in\s+per\s?cent|as\s+a\s+percentage)\)?$",
        rf"(?P<part>.+?)\s(?:as\s+(?:an?\s+)?|in\s+)?{_SHARE}\s+(?:of|von|vom|de[rs])\s+(?P<whole>(?:(?!\b{_VERB}\b).)+)$",
        rf"\b(?:{_SHARE}|part|how\s+much)\s+of\s+(?P<whole>.+?)\s+{_VERB}\b(?P<part>.+)",
        r"\b(?:share|weight|proportion)\s+(?:do|does|did|has|have|had|is|was)\s+(?P<part>.+?)\s+(?:have\s+|had\s+)?(?:of|in)\s+(?P<whole>.+)",
        r"(?P<part>.+?)\b(?:account(?:s|ed)?\s+for|contribut\w+|represent(?:s|ed)?|ma[dk]e?s?\s+up)\b.*?\b(?:of|to)\s+(?P<whole>.+)",
        r"\b(?:anteil|prozentsatz)\s+(?:an|am|von|vom|der|des)\s+(?P<whole>.+?)\s+(?:entf\w+|kam\w*|stamm\w*|mach\w*|ging\w*|ha(?:t|ben|tte|tten)|war\w*|ist|sind)\b(?P<part>.+)",
        r"\b(?:anteil|prozentsatz)\b(?P<part>.+?)\b(?:an|am)\s+(?P<whole>.+)",
        r"\bwie\s*viel\s+prozent\s+(?:der|des|vom|von)\s+(?P<whole>.+?)\s+(?:entf\w+|kam\w*|stamm\w*|mach\w*|ging\w*|ha(?:t|ben|tte|tten)|war\w*|ist|sind)\b(?P<part>.+)",
    )
)
DIFFERENCES: Final = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        r"\b(?:difference|gap|unterschied|differenz)\s+(?:\w+\s+){0,3}?(?:between|zwischen)\s+(?P<one>.+?)\s+(?:and|und)\s+(?P<two>.+)",
        r"\b(?:by\s+)?(?:how\s+much|what\s+amount|what)\s+(?:is|was|are|were|did|do|does)\s+(?P<one>(?:(?!\bthan\b).)+?)\s+(?:more|higher|larger|bigger|greater|less|lower|smaller|above|below)\s+than\s+(?P<two>.+)",
        r"\b(?:between|of|zwischen|von)\s+(?P<one>[^,?]+?)\s+(?:and|or|und|oder)\s+(?P<two>[^,?]+),?\s+(?P<both>(?:which|who|what|welche\w?|wer)\b.+)",
        r"(?P<both>\b(?:which|who|what|welche\w?|wer)\b[^,:?]+)[,:]\s*(?P<one>[^,?]+?)\s+(?:or|oder)\s+(?P<two>[^,?]+)",
        r"\b(?:more|higher|larger|bigger|greater|less|lower|smaller|fewer|mehr|weniger|h\u00f6her|niedriger|gr\u00f6\u00dfer|kleiner)\b(?P<one>.+?)\b(?:than|als)\s+(?P<two>.+)",
        r"\bum\s+wie\s*viel\s+(?:\w+\s+){0,2}?(?:\u00fcberst\w+|\u00fcbertr\w+)\s+(?P<one>.+)\s+(?P<two>(?:das|die|den)\s+[A-Z\u00c4\u00d6\u00dc].+)",
        r"\b(?:spread|gap|margin)\s+between\s+(?P<one>.+?)\s+and\s+(?P<two>.+)",
        r"(?P<one>.+?)\b(?:exceed\w*|outstrip\w*|\u00fcberst\w+|\u00fcbertr\w+)\b(?P<two>.+)",
        r"\b(?:lag|lagen|liegt|liegen)\b(?P<one>.+?)\b(?:\u00fcber|unter)\b(?P<two>.+)",
        r"\bseparates?\s+(?P<one>.+?)\s+from\s+(?P<two>.+)",
        r"\bhow\s+far\s+apart\s+(?:were|was|are|is)\s+(?P<one>.+?)\s+and\s+(?P<two>.+)",
        r"(?P<one>.+?)\s(?:versus|vs\.?)\s(?P<two>.+?)(?=[,:;]\s.*\b(?:gap|difference|how\s+(?:much|many)|abstand|differenz)\b)",
        r"\bsubtract\s+(?P<two>.+?)\s+from\s+(?P<one>.+)",
        r"(?P<one>.+?)\b(?:minus|less|abz\u00fcglich)\b(?P<two>.+)",
    )
)
MORE_THAN: Final = re.compile(
    rf"\A(?P<before>.*?)\b(?P<degree>{MORE.pattern}|{LESS.pattern})\b(?P<one>.+?)\b(?:than|als)\s+(?P<two>.+)",
    re.IGNORECASE,
)
EXCEEDS: Final = re.compile(
    r"\A(?P<one>.+?)\b(?:exceed(?:ed|s)?|outstrip(?:ped|s)?|outweigh(?:ed|s)?|surpass(?:ed|es)?|top(?:ped|s)?|cover(?:ed|s)?|pa(?:y|ys|id)\s+for|fund(?:ed|s)?|financ(?:e|ed|es)"
    r"|(?:was|were|is|are|be|been)?\s*(?:enough|sufficient)\s+(?:for|to\s+(?:cover|fund|pay(?:\s+for)?|finance)))\s+(?P<two>.+)",
    re.IGNORECASE,
)
"""One figure against another by a verb: "did cash flow cover dividends and buybacks?"."""
SIGN_ASKED: Final = _words(
    r"positive|negative|profitable|loss[\s-]?making|in\s+the\s+(?:black|red)|turn(?:ed)?\s+a\s+profit|(?:make|made)\s+(?:a\s+|any\s+)?(?:profit|loss|money)",
    r"positiv|negativ|profitabel|defizit\u00e4r|(?:schwarze|rote)n?\s+zahlen|(?:einen\s+)?(?:gewinn|verlust)\s+(?:gemacht|erzielt)",
)
POSITIVE: Final = _words(r"positive|profitable|black|profit|money", r"positiv|profitabel|schwarze|gewinn")
AND: Final = re.compile(r"\s(?:and|und)\s", re.IGNORECASE)
BETWEEN_AND: Final = re.compile(r"\b(?:between|zwischen|how\s+far\s+apart)\b.*\s(?:and|und)\s", re.IGNORECASE)
ADDED_YEARS: Final = re.compile(rf"{_YEAR}\s*\+\s*{_YEAR}|\bFY\s?\d\d\s*\+\s*(?:FY\s?)?\d\d\b", re.IGNORECASE)
OPENING_AND_CLOSING: Final = re.compile(
    r"\b(?:opening|beginning|start(?:ing)?|anfangs\w*)\b.{0,40}?\b(?:closing|schluss\w*|end\w*)\b",
    re.IGNORECASE,
)
"""The balances of which an average of one year is taken."""
KINDS_OF_FIGURE: Final = _words(
    r"expenses?|expenditures?|costs?|spend(?:ing)?|outlays?|bills?|output|production|tonnages?|volumes?|generation|headcount|scores?",
    r"aufwendungen|ausgaben|produktion|menge",
)
"""Nouns that say what sort of figure is meant, after a name that a row may have without them: "zinc output"."""
TOGETHER: Final = _words(
    r"together|combined|altogether|sum\s+of|all\s+told|added\s+up|com(?:e|es)\s+to|amount(?:s|ed)?\s+to|in\s+all",
    r"zusammen(?:gerechnet|genommen)?|summe\s+(?:aus|von|de[rs])|addiert",
)
"""Words by which rows are added that a question names one by one."""
LISTS: Final = re.compile(r"\b(?:and|plus|und|sowie)\b|[&+,]", re.IGNORECASE)
STATES_A_CHANGE: Final = re.compile(
    r"\s*(?:did|does|do|has|have|is|was|were|are|hat|haben|ist|sind|war|waren|stieg|sank|fiel)\b", re.IGNORECASE
)
"""How a question for yes or no begins."""
WHICH_ROW: Final = re.compile(rf"\b(?:which|welche[rsnm]?)\s+(?:\w+\s+){{0,2}}?(?:{GROUP.pattern})", re.IGNORECASE)
FACTOR: Final = re.compile(r"(?<![\d.,])(\d{2,3})\s?[x\u00d7*]\s")
"""A constant by which a question has its formula multiplied: "365 x ..."."""
_FORMS: Final = (COMPOUND, PER_YEAR, PARTED_BY, RISE, FALL, CHANGE, MORE, LESS, AVERAGE, SUM, HIGHEST, LOWEST, PERCENT)
NAMES_NO_FIGURE: Final = re.compile(
    "|".join(each.pattern for each in (*_FORMS, WHICH, YEARS_COUNTED)).replace("?P<count>", "?:"), re.IGNORECASE
)
"""The words that name no figure, to be left out of what an operand is called."""
