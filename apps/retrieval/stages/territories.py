"""Countries, the EU and supervisory authorities as questions in English and German call them. A table, kept by hand.

The codes are those of ISO 3166-1, which documents state as their jurisdictions, and EU. A line holds the code; English
names; German names; English adjectives; German adjectives without their ending ("deutsch" for "deutsches"); German
adjectives in -er, which have none.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from apps.retrieval.stages.mentions import word_set

EU: Final = "EU"

_TABLE: Final = """
EU | European Union | Europäische Union | European | europäisch, unionsrechtlich |
AD | Andorra | Andorra | Andorran | andorranisch |
AE | United Arab Emirates | Vereinigte Arabische Emirate, VAE | Emirati | emiratisch |
AF | Afghanistan | Afghanistan | Afghan | afghanisch |
AG | Antigua and Barbuda | Antigua und Barbuda | Antiguan | |
AI | Anguilla | Anguilla | Anguillan | |
AL | Albania | Albanien | Albanian | albanisch |
AM | Armenia | Armenien | Armenian | armenisch |
AO | Angola | Angola | Angolan | angolanisch |
AR | Argentina | Argentinien | Argentine, Argentinian | argentinisch |
AT | Austria | Österreich | Austrian | österreichisch |
AU | Australia | Australien | Australian | australisch |
AW | Aruba | Aruba | Aruban | |
AZ | Azerbaijan | Aserbaidschan | Azerbaijani | aserbaidschanisch |
BA | Bosnia and Herzegovina | Bosnien und Herzegowina, Bosnien-Herzegowina | Bosnian | bosnisch |
BB | Barbados | Barbados | Barbadian | barbadisch |
BD | Bangladesh | Bangladesch | Bangladeshi | bangladeschisch |
BE | Belgium | Belgien | Belgian | belgisch |
BF | Burkina Faso | Burkina Faso | Burkinabe | |
BG | Bulgaria | Bulgarien | Bulgarian | bulgarisch |
BH | Bahrain | Bahrain | Bahraini | bahrainisch |
BI | Burundi | Burundi | Burundian | burundisch |
BJ | Benin | Benin | Beninese | beninisch |
BM | Bermuda | Bermuda | Bermudian | bermudisch |
BN | Brunei | Brunei | Bruneian | bruneiisch |
BO | Bolivia | Bolivien | Bolivian | bolivianisch |
BR | Brazil | Brasilien | Brazilian | brasilianisch |
BS | Bahamas | Bahamas | Bahamian | bahamaisch |
BT | Bhutan | Bhutan | Bhutanese | bhutanisch |
BW | Botswana | Botsuana, Botswana | Botswanan | botsuanisch |
BY | Belarus | Belarus, Weißrussland | Belarusian | belarussisch |
BZ | Belize | Belize | Belizean | belizisch |
CA | Canada | Kanada | Canadian | kanadisch |
CD | Democratic Republic of the Congo, Democratic Republic of Congo | Demokratische Republik Kongo | | |
CG | Republic of the Congo, Congo | Republik Kongo, Kongo | Congolese | kongolesisch |
CH | Switzerland, Swiss Confederation | Schweiz | Swiss | schweizerisch, eidgenössisch | Schweizer
CI | Ivory Coast, Côte d'Ivoire | Elfenbeinküste | Ivorian | ivorisch |
CL | Chile | Chile | Chilean | chilenisch |
CM | Cameroon | Kamerun | Cameroonian | kamerunisch |
CN | China | China | Chinese | chinesisch |
CO | Colombia | Kolumbien | Colombian | kolumbianisch |
CR | Costa Rica | Costa Rica | Costa Rican | costa-ricanisch |
CU | Cuba | Kuba | Cuban | kubanisch |
CW | Curaçao, Curacao | Curaçao, Curacao | | |
CY | Cyprus | Zypern | Cypriot | zypriotisch, zyprisch |
CZ | Czech Republic, Czechia | Tschechien, Tschechische Republik | Czech | tschechisch |
DE | Germany | Deutschland | German | deutsch, bundesdeutsch |
DK | Denmark | Dänemark | Danish | dänisch |
DM | Dominica | Dominica | | |
DO | Dominican Republic | Dominikanische Republik | | |
DZ | Algeria | Algerien | Algerian | algerisch |
EC | Ecuador | Ecuador | Ecuadorian | ecuadorianisch |
EE | Estonia | Estland | Estonian | estnisch |
EG | Egypt | Ägypten | Egyptian | ägyptisch |
ES | Spain | Spanien | Spanish | spanisch |
ET | Ethiopia | Äthiopien | Ethiopian | äthiopisch |
FI | Finland | Finnland | Finnish | finnisch |
FJ | Fiji | Fidschi | Fijian | fidschianisch |
FO | Faroe Islands | Färöer | Faroese | färöisch |
FR | France | Frankreich | French | französisch |
GA | Gabon | Gabun | Gabonese | gabunisch |
GB | United Kingdom, Britain, England | Vereinigte Königreich, Großbritannien | British, English | britisch, englisch |
GD | Grenada | Grenada | Grenadian | grenadisch |
GE | Georgia | Georgien | Georgian | georgisch |
GG | Guernsey | Guernsey | | |
GH | Ghana | Ghana | Ghanaian | ghanaisch |
GI | Gibraltar | Gibraltar | Gibraltarian | gibraltarisch |
GL | Greenland | Grönland | Greenlandic | grönländisch |
GM | Gambia | Gambia | Gambian | gambisch |
GN | Guinea | Guinea | Guinean | guineisch |
GR | Greece | Griechenland | Greek, Hellenic | griechisch |
GT | Guatemala | Guatemala | Guatemalan | guatemaltekisch |
GY | Guyana | Guyana | Guyanese | guyanisch |
HK | Hong Kong | Hongkong | | | Hongkonger
HN | Honduras | Honduras | Honduran | honduranisch |
HR | Croatia | Kroatien | Croatian | kroatisch |
HT | Haiti | Haiti | Haitian | haitianisch |
HU | Hungary | Ungarn | Hungarian | ungarisch |
ID | Indonesia | Indonesien | Indonesian | indonesisch |
IE | Ireland | Irland | Irish | irisch |
IL | Israel | Israel | Israeli | israelisch |
IM | Isle of Man | Isle of Man, Insel Man | Manx | |
IN | India | Indien | Indian | indisch |
IQ | Iraq | Irak | Iraqi | irakisch |
IR | Iran | Iran | Iranian | iranisch |
IS | Iceland | Island | Icelandic | isländisch |
IT | Italy | Italien | Italian | italienisch |
JE | Jersey | Jersey | | |
JM | Jamaica | Jamaika | Jamaican | jamaikanisch |
JO | Jordan | Jordanien | Jordanian | jordanisch |
JP | Japan | Japan | Japanese | japanisch |
KE | Kenya | Kenia | Kenyan | kenianisch |
KG | Kyrgyzstan | Kirgisistan | Kyrgyz | kirgisisch |
KH | Cambodia | Kambodscha | Cambodian | kambodschanisch |
KN | Saint Kitts and Nevis, St Kitts and Nevis | | | |
KP | North Korea | Nordkorea | North Korean | nordkoreanisch |
KR | South Korea, Korea | Südkorea, Korea | South Korean, Korean | südkoreanisch, koreanisch |
KW | Kuwait | Kuwait | Kuwaiti | kuwaitisch |
KY | Cayman Islands, Cayman | Kaimaninseln, Cayman Islands, Cayman-Inseln | Caymanian | |
KZ | Kazakhstan | Kasachstan | Kazakh | kasachisch |
LA | Laos | Laos | Laotian | laotisch |
LB | Lebanon | Libanon | Lebanese | libanesisch |
LC | Saint Lucia, St Lucia | | | |
LI | Liechtenstein | Liechtenstein | | liechtensteinisch | Liechtensteiner
LK | Sri Lanka | Sri Lanka | Sri Lankan | sri-lankisch |
LR | Liberia | Liberia | Liberian | liberianisch |
LS | Lesotho | Lesotho | | lesothisch |
LT | Lithuania | Litauen | Lithuanian | litauisch |
LU | Luxembourg, Luxemburg | Luxemburg | Luxembourgish | luxemburgisch | Luxemburger
LV | Latvia | Lettland | Latvian | lettisch |
LY | Libya | Libyen | Libyan | libysch |
MA | Morocco | Marokko | Moroccan | marokkanisch |
MC | Monaco | Monaco | Monegasque | monegassisch |
MD | Moldova | Moldau | Moldovan | moldauisch |
ME | Montenegro | Montenegro | Montenegrin | montenegrinisch |
MG | Madagascar | Madagaskar | Malagasy | madagassisch |
MH | Marshall Islands | Marshallinseln | Marshallese | |
MK | North Macedonia | Nordmazedonien | Macedonian | mazedonisch |
ML | Mali | Mali | Malian | malisch |
MM | Myanmar | Myanmar | Burmese | myanmarisch |
MN | Mongolia | Mongolei | Mongolian | mongolisch |
MO | Macau, Macao | Macau, Macao | Macanese | |
MR | Mauritania | Mauretanien | Mauritanian | mauretanisch |
MT | Malta | Malta | Maltese | maltesisch |
MU | Mauritius | Mauritius | Mauritian | mauritisch |
MV | Maldives | Malediven | Maldivian | maledivisch |
MW | Malawi | Malawi | Malawian | malawisch |
MX | Mexico | Mexiko | Mexican | mexikanisch |
MY | Malaysia | Malaysia | Malaysian | malaysisch |
MZ | Mozambique | Mosambik | Mozambican | mosambikanisch |
NA | Namibia | Namibia | Namibian | namibisch |
NE | Niger | Niger | Nigerien | nigrisch |
NG | Nigeria | Nigeria | Nigerian | nigerianisch |
NI | Nicaragua | Nicaragua | Nicaraguan | nicaraguanisch |
NL | Netherlands, Holland | Niederlande, Niederlanden, Holland | Dutch | niederländisch, holländisch |
NO | Norway | Norwegen | Norwegian | norwegisch |
NP | Nepal | Nepal | Nepalese | nepalesisch |
NZ | New Zealand | Neuseeland | | neuseeländisch |
OM | Oman | Oman | Omani | omanisch |
PA | Panama | Panama | Panamanian | panamaisch |
PE | Peru | Peru | Peruvian | peruanisch |
PG | Papua New Guinea | Papua-Neuguinea | | |
PH | Philippines | Philippinen | Philippine, Filipino | philippinisch |
PK | Pakistan | Pakistan | Pakistani | pakistanisch |
PL | Poland | Polen | Polish | polnisch |
PR | Puerto Rico | Puerto Rico | Puerto Rican | puerto-ricanisch |
PT | Portugal | Portugal | Portuguese | portugiesisch |
PY | Paraguay | Paraguay | Paraguayan | paraguayisch |
QA | Qatar | Katar | Qatari | katarisch |
RO | Romania | Rumänien | Romanian | rumänisch |
RS | Serbia | Serbien | Serbian | serbisch |
RU | Russia, Russian Federation | Russland, Russische Föderation | Russian | russisch |
RW | Rwanda | Ruanda | Rwandan | ruandisch |
SA | Saudi Arabia | Saudi-Arabien | Saudi, Saudi Arabian | saudi-arabisch, saudisch |
SC | Seychelles | Seychellen | Seychellois | seychellisch |
SD | Sudan | Sudan | Sudanese | sudanesisch |
SE | Sweden | Schweden | Swedish | schwedisch |
SG | Singapore | Singapur | Singaporean | singapurisch | Singapurer
SI | Slovenia | Slowenien | Slovenian, Slovene | slowenisch |
SK | Slovakia, Slovak Republic | Slowakei, Slowakische Republik | Slovak, Slovakian | slowakisch |
SL | Sierra Leone | Sierra Leone | Sierra Leonean | |
SM | San Marino | San Marino | Sammarinese | san-marinesisch |
SN | Senegal | Senegal | Senegalese | senegalesisch |
SR | Suriname | Suriname | Surinamese | surinamisch |
SV | El Salvador | El Salvador | Salvadoran | salvadorianisch |
SY | Syria | Syrien | Syrian | syrisch |
SZ | Eswatini, Swaziland | Eswatini, Swasiland | | |
TC | Turks and Caicos Islands, Turks and Caicos | Turks- und Caicosinseln | | |
TD | Chad | Tschad | Chadian | tschadisch |
TG | Togo | Togo | Togolese | togoisch |
TH | Thailand | Thailand | Thai | thailändisch |
TJ | Tajikistan | Tadschikistan | Tajik | tadschikisch |
TM | Turkmenistan | Turkmenistan | Turkmen | turkmenisch |
TN | Tunisia | Tunesien | Tunisian | tunesisch |
TR | Turkey, Türkiye | Türkei | Turkish | türkisch |
TT | Trinidad and Tobago | Trinidad und Tobago | Trinidadian | |
TW | Taiwan | Taiwan | Taiwanese | taiwanesisch, taiwanisch |
TZ | Tanzania | Tansania | Tanzanian | tansanisch |
UA | Ukraine | Ukraine | Ukrainian | ukrainisch |
UG | Uganda | Uganda | Ugandan | ugandisch |
US | United States | Vereinigte Staaten | American | amerikanisch |
UY | Uruguay | Uruguay | Uruguayan | uruguayisch |
UZ | Uzbekistan | Usbekistan | Uzbek | usbekisch |
VA | Vatican City, Holy See | Vatikanstadt, Heiliger Stuhl | | |
VC | Saint Vincent and the Grenadines, St Vincent and the Grenadines | | | |
VE | Venezuela | Venezuela | Venezuelan | venezolanisch |
VG | British Virgin Islands | Britische Jungferninseln | | |
VI | US Virgin Islands, U.S. Virgin Islands | Amerikanische Jungferninseln | | |
VN | Vietnam, Viet Nam | Vietnam | Vietnamese | vietnamesisch |
VU | Vanuatu | Vanuatu | | |
WS | Samoa | Samoa | Samoan | samoanisch |
YE | Yemen | Jemen | Yemeni | jemenitisch |
ZA | South Africa | Südafrika | South African | südafrikanisch |
ZM | Zambia | Sambia | Zambian | sambisch |
ZW | Zimbabwe | Simbabwe | Zimbabwean | simbabwisch |
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Territory:
    """`stems` take an ending in German, `adjectives` of either language none."""

    code: str
    names: tuple[str, ...]
    adjectives: tuple[str, ...]
    stems: tuple[str, ...]

    @property
    def label(self) -> str:
        """The name in English, the first of those in the table."""
        return self.names[0]


def _parsed(line: str) -> Territory:
    cells = [tuple(filter(None, map(str.strip, cell.split(",")))) for cell in line.split("|")]
    (code,), english, german, adjectives, stems, invariable = (*cells, ())[:6]
    return Territory(
        code=code,
        names=tuple(dict.fromkeys((*english, *german))),
        adjectives=(*adjectives, *invariable),
        stems=stems,
    )


TERRITORIES: Final[Mapping[str, Territory]] = {
    territory.code: territory for territory in map(_parsed, _TABLE.strip().splitlines())
}


def holds(code: str, stated: str) -> bool:
    """Whether a document's jurisdiction is the territory or a part of it: US-NY is in US."""
    return stated == code or stated.startswith(f"{code}-")


def in_force(code: str, stated: str) -> bool:
    """Whether what is stated may bind in the territory: its own law, and that of the EU in its members and back."""
    members = (code in EU_MEMBERS and stated == EU) or (code == EU and stated.partition("-")[0] in EU_MEMBERS)
    return holds(code, stated) or members
