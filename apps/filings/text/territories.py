"""Countries, the EU and supervisory authorities, as questions in English and German call them.

The codes are those of ISO 3166-1, which documents state as their jurisdictions, plus EU, and XK for Kosovo. The names
are those of the CLDR, by Babel. The table adds by hand what the CLDR does not have: adjectives, and further names.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from babel import Locale

from apps.filings.text.mentions import word_set

EU: Final = "EU"

# A line holds: the code; English adjectives; German adjectives without their ending ("deutsch" for "deutsches"); German
# adjectives in -er, which take no ending; names in either language that the CLDR does not have.
_TABLE: Final = """
EU | European | europäisch, unionsrechtlich
AD | Andorran | andorranisch
AE | Emirati | emiratisch | | VAE
AF | Afghan | afghanisch
AG | Antiguan
AI | Anguillan
AL | Albanian | albanisch
AM | Armenian | armenisch
AO | Angolan | angolanisch
AR | Argentine, Argentinian | argentinisch
AT | Austrian | österreichisch
AU | Australian | australisch
AW | Aruban
AZ | Azerbaijani | aserbaidschanisch
BA | Bosnian | bosnisch | | Bosnien-Herzegowina
BB | Barbadian | barbadisch
BD | Bangladeshi | bangladeschisch
BE | Belgian | belgisch
BF | Burkinabe
BG | Bulgarian | bulgarisch
BH | Bahraini | bahrainisch
BI | Burundian | burundisch
BJ | Beninese | beninisch
BM | Bermudian | bermudisch
BN | Bruneian | bruneiisch
BO | Bolivian | bolivianisch
BR | Brazilian | brasilianisch
BS | Bahamian | bahamaisch
BT | Bhutanese | bhutanisch
BW | Botswanan | botsuanisch
BY | Belarusian | belarussisch | | Weißrussland
BZ | Belizean | belizisch
CA | Canadian | kanadisch
CD | | | | Democratic Republic of the Congo, Democratic Republic of Congo, Demokratische Republik Kongo
CG | Congolese | kongolesisch | | Republic of the Congo, Congo, Republik Kongo, Kongo
CH | Swiss | schweizerisch, eidgenössisch | Schweizer | Swiss Confederation
CI | Ivorian | ivorisch | | Ivory Coast, Elfenbeinküste
CL | Chilean | chilenisch
CM | Cameroonian | kamerunisch
CN | Chinese | chinesisch
CO | Colombian | kolumbianisch
CR | Costa Rican | costa-ricanisch
CU | Cuban | kubanisch
CW | | | | Curacao
CY | Cypriot | zypriotisch, zyprisch
CZ | Czech | tschechisch | | Czech Republic, Tschechische Republik
DE | German | deutsch, bundesdeutsch
DK | Danish | dänisch
DZ | Algerian | algerisch
EC | Ecuadorian | ecuadorianisch
EE | Estonian | estnisch
EG | Egyptian | ägyptisch
ES | Spanish | spanisch
ET | Ethiopian | äthiopisch
FI | Finnish | finnisch
FJ | Fijian | fidschianisch
FO | Faroese | färöisch
FR | French | französisch
GA | Gabonese | gabunisch
GB | British, English | britisch, englisch | | Britain, England, Vereinigte Königreich, Großbritannien
GD | Grenadian | grenadisch
GE | Georgian | georgisch
GH | Ghanaian | ghanaisch
GI | Gibraltarian | gibraltarisch
GL | Greenlandic | grönländisch
GM | Gambian | gambisch
GN | Guinean | guineisch
GR | Greek, Hellenic | griechisch
GT | Guatemalan | guatemaltekisch
GY | Guyanese | guyanisch
HK | | | Hongkonger | Hong Kong, Hongkong
HN | Honduran | honduranisch
HR | Croatian | kroatisch
HT | Haitian | haitianisch
HU | Hungarian | ungarisch
ID | Indonesian | indonesisch
IE | Irish | irisch
IL | Israeli | israelisch
IM | Manx | | | Insel Man
IN | Indian | indisch
IQ | Iraqi | irakisch
IR | Iranian | iranisch
IS | Icelandic | isländisch
IT | Italian | italienisch
JM | Jamaican | jamaikanisch
JO | Jordanian | jordanisch
JP | Japanese | japanisch
KE | Kenyan | kenianisch
KG | Kyrgyz | kirgisisch
KH | Cambodian | kambodschanisch
KP | North Korean | nordkoreanisch
KR | South Korean, Korean | südkoreanisch, koreanisch | | Korea
KW | Kuwaiti | kuwaitisch
KY | Caymanian | | | Cayman, Cayman-Inseln
KZ | Kazakh | kasachisch
LA | Laotian | laotisch
LB | Lebanese | libanesisch
LI | | liechtensteinisch | Liechtensteiner
LK | Sri Lankan | sri-lankisch
LR | Liberian | liberianisch
LS | | lesothisch
LT | Lithuanian | litauisch
LU | Luxembourgish | luxemburgisch | Luxemburger
LV | Latvian | lettisch
LY | Libyan | libysch
MA | Moroccan | marokkanisch
MC | Monegasque | monegassisch
MD | Moldovan | moldauisch | | Moldau
ME | Montenegrin | montenegrinisch
MG | Malagasy | madagassisch
MH | Marshallese
MK | Macedonian | mazedonisch
ML | Malian | malisch
MM | Burmese | myanmarisch
MN | Mongolian | mongolisch
MO | Macanese | | | Macau, Macao
MR | Mauritanian | mauretanisch
MT | Maltese | maltesisch
MU | Mauritian | mauritisch
MV | Maldivian | maledivisch
MW | Malawian | malawisch
MX | Mexican | mexikanisch
MY | Malaysian | malaysisch
MZ | Mozambican | mosambikanisch
NA | Namibian | namibisch
NE | Nigerien | nigrisch
NG | Nigerian | nigerianisch
NI | Nicaraguan | nicaraguanisch
NL | Dutch | niederländisch, holländisch | | Holland, Niederlanden
NO | Norwegian | norwegisch
NP | Nepalese | nepalesisch
NZ | | neuseeländisch
OM | Omani | omanisch
PA | Panamanian | panamaisch
PE | Peruvian | peruanisch
PH | Philippine, Filipino | philippinisch
PK | Pakistani | pakistanisch
PL | Polish | polnisch
PR | Puerto Rican | puerto-ricanisch
PT | Portuguese | portugiesisch
PY | Paraguayan | paraguayisch
QA | Qatari | katarisch
RO | Romanian | rumänisch
RS | Serbian | serbisch
RU | Russian | russisch | | Russian Federation, Russische Föderation
RW | Rwandan | ruandisch
SA | Saudi, Saudi Arabian | saudi-arabisch, saudisch
SC | Seychellois | seychellisch
SD | Sudanese | sudanesisch
SE | Swedish | schwedisch
SG | Singaporean | singapurisch | Singapurer
SI | Slovenian, Slovene | slowenisch
SK | Slovak, Slovakian | slowakisch | | Slovak Republic, Slowakische Republik
SL | Sierra Leonean
SM | Sammarinese | san-marinesisch
SN | Senegalese | senegalesisch
SR | Surinamese | surinamisch
SV | Salvadoran | salvadorianisch
SY | Syrian | syrisch
SZ | | | | Swaziland, Swasiland
TC | | | | Turks and Caicos
TD | Chadian | tschadisch
TG | Togolese | togoisch
TH | Thai | thailändisch
TJ | Tajik | tadschikisch
TM | Turkmen | turkmenisch
TN | Tunisian | tunesisch
TR | Turkish | türkisch | | Turkey
TT | Trinidadian
TW | Taiwanese | taiwanesisch, taiwanisch
TZ | Tanzanian | tansanisch
UA | Ukrainian | ukrainisch
UG | Ugandan | ugandisch
US | American | amerikanisch
UY | Uruguayan | uruguayisch
UZ | Uzbek | usbekisch
VA | | | | Holy See, Heiliger Stuhl
VC | | | | Saint Vincent and the Grenadines, St Vincent and the Grenadines
VE | Venezuelan | venezolanisch
VI | | | | US Virgin Islands
VN | Vietnamese | vietnamesisch | | Viet Nam
WS | Samoan | samoanisch
YE | Yemeni | jemenitisch
ZA | South African | südafrikanisch
ZM | Zambian | sambisch
ZW | Zimbabwean | simbabwisch
"""

EU_MEMBERS: Final = word_set("AT BE BG CY CZ DE DK EE ES FI FR GR HR HU IE IT LT LU LV MT NL PL PT RO SE SI SK")

REGULATORS: Final[Mapping[str, tuple[str, ...]]] = {
    "AT": ("Austrian Financial Market Authority", "Österreichische Finanzmarktaufsicht"),
    "AU": ("ASIC", "APRA", "Australian Securities and Investments Commission"),
    "BE": ("FSMA",),
    "CH": ("FINMA", "Swiss Financial Market Supervisory Authority", "Eidgenössische Finanzmarktaufsicht"),
    "DE": (
        "BaFin",
        "Bafin",
        "Bundesanstalt für Finanzdienstleistungsaufsicht",
        "Federal Financial Supervisory Authority",
    ),
    "ES": ("CNMV",),
    "EU": (
        "ESMA",
        "EBA",
        "EIOPA",
        "European Securities and Markets Authority",
        "European Banking Authority",
        "European Commission",
        "Europäische Wertpapier- und Marktaufsichtsbehörde",
        "Europäische Bankenaufsichtsbehörde",
        "Europäische Kommission",
    ),
    "FR": ("Autorité des marchés financiers", "ACPR"),
    "GB": ("FCA", "Financial Conduct Authority", "Prudential Regulation Authority"),
    "GG": ("GFSC", "Guernsey Financial Services Commission"),
    "HK": ("Securities and Futures Commission", "HKMA"),
    "IE": ("Central Bank of Ireland", "Irische Zentralbank"),
    "IT": ("CONSOB", "Consob"),
    "JE": ("JFSC", "Jersey Financial Services Commission"),
    "KY": ("CIMA", "Cayman Islands Monetary Authority"),
    "LU": ("CSSF", "Commission de Surveillance du Secteur Financier"),
    "MT": ("MFSA", "Malta Financial Services Authority"),
    "NL": ("Autoriteit Financiële Markten",),
    "SE": ("Finansinspektionen",),
    "SG": ("Monetary Authority of Singapore",),
    "US": ("SEC", "CFTC", "FINRA", "Securities and Exchange Commission", "US-Börsenaufsicht"),
}
"""By the code of what they supervise. Without the short forms that several authorities share (FMA, AMF, AFM, CBI)."""

SAFE_CODES: Final[Mapping[str, str]] = {
    code: code for code in word_set("US EU GB DE FR CH LU IE NL AT DK JP CN HK AU NZ")
} | {"UK": "GB", "USA": "US", "UAE": "AE", "PRC": "CN", "BVI": "VG"}
"""Short forms that are no other word in capitals: "IT", "AI", "ES" or "PE" are rarely a country in finance."""

ONLY_IN_CONTEXT: Final = word_set("Georgia Georgian Jordan Chad Island European English europäisch englisch")
"""Also a state of the US, a person, a continent, a language: a jurisdiction only beside a word of law or of a seat."""

ALSO_A_WORD: Final = word_set("Turkey Jersey China Chile Guinea Polish Panama Cuba Malta Togo Mali Niger")
"""Also a thing: not read as the first word, which has a capital whatever it means."""

_NO_TERRITORY: Final = word_set("AC CP CQ DG EA EZ IC QO TA UN XA XB ZZ")
"""Codes of the CLDR that no document states: of its own, of organisations, and of parts of other territories."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Territory:
    """A country, territory or the EU. `stems` take an ending in German; `adjectives` of either language take none."""

    code: str
    names: tuple[str, ...]
    adjectives: tuple[str, ...]
    stems: tuple[str, ...]


def _territories() -> Iterator[Territory]:
    rows = {code.strip(): cells for code, *cells in (line.split("|") for line in _TABLE.strip().splitlines())}
    english, german = (Locale(language).territories for language in ("en", "de"))
    for code in map(str, english):
        if re.fullmatch("[A-Z]{2}", code) and code not in _NO_TERRITORY:
            cells = [tuple(filter(None, map(str.strip, cell.split(",")))) for cell in rows.get(code, ())]
            adjectives, stems, invariable, names = (*cells, (), (), (), ())[:4]
            yield Territory(
                code=code,
                names=tuple(dict.fromkeys((*_list_spellings(english[code]), *_list_spellings(german[code]), *names))),
                adjectives=(*adjectives, *invariable),
                stems=stems,
            )


def _list_spellings(name: str) -> tuple[str, ...]:
    """Return a name of the CLDR as people write it: "Myanmar" for "Myanmar (Burma)", "St Lucia" and "Saint Lucia"."""
    plain = re.sub(r"\s*\(.*?\)|\.", "", name).replace("&", "and").replace("\u2019", "'")
    return (plain, plain.replace("St ", "Saint ", 1)) if plain.startswith("St ") else (plain,)


TERRITORIES: Final[Mapping[str, Territory]] = {territory.code: territory for territory in _territories()}


def holds(code: str, stated: str) -> bool:
    """Return whether a document's jurisdiction is the territory or a part of it: US-NY is in US."""
    return stated == code or stated.startswith(f"{code}-")


def in_force(code: str, stated: str) -> bool:
    """Return whether the stated jurisdiction's law may apply in the territory.

    A territory's own law applies there. The law of the EU counts for its members, and that of its members for the EU.
    """
    members = (code in EU_MEMBERS and stated == EU) or (code == EU and stated.partition("-")[0] in EU_MEMBERS)
    return holds(code, stated) or members
