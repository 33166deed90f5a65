"""The closed lists of values that a profile's bounds permit, and the words that name each value in a text.

A bound lists what is permitted. What is not among it is looked for by the words here, as a topic is by its terms.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from apps.intents.profile.contracts import BY_WORDS, ProfileRule, RuleSort

JURISDICTION: Final = re.compile(r"[A-Z]{2}(-[A-Z0-9]{1,3})?")
"""Codes as documents state them: DE, EU, US-NY."""

NO_MODEL: Final = "none"
"""Of the models: answers are quoted, and no model is asked."""


@dataclass(frozen=True, slots=True)
class Value:
    """A value of a closed list. terms: what names it, English and German, as matching.py reads it."""

    label: str
    terms: tuple[str, ...]


VALUES: Final[Mapping[RuleSort, Mapping[str, Value]]] = {
    RuleSort.CLIENTS: {
        "retail": Value("Retail clients", ("retail client", "retail investor", "private client", "Privatkunde")),
        "professional": Value(
            "Professional clients", ("professional client", "professional investor", '"Professioneller Kunde"')
        ),
        "counterparty": Value("Eligible counterparties", ("eligible counterparty", '"geeignete Gegenpartei"')),
    },
    RuleSort.INSTRUMENTS: {
        "equity": Value(
            "Shares", ('"common stock"', "share purchase", "Aktie", "Aktien*", "Stammaktie", "Vorzugsaktie")
        ),
        "bond": Value(
            "Bonds",
            ("bond", "debenture", "Anleihe*", "Staatsanleihe", "Unternehmensanleihe", "Wandelanleihe", "Pfandbrief*"),
        ),
        "fund": Value("Funds", ("mutual fund", "UCITS", "SICAV", "Investmentfonds", "Publikumsfonds")),
        "etf": Value("Exchange-traded funds", ("ETF", "exchange traded fund")),
        "derivative": Value(
            "Derivatives", ("derivative", "futures contract", "swap", "option contract", "CFD", "Derivat*")
        ),
        "structured": Value(
            "Structured products", ("structured product", "certificate investment", "Zertifikat", "Zertifikate*")
        ),
        "crypto": Value("Crypto-assets", ("crypto", "cryptocurrency", "bitcoin", "ether", "stablecoin", "krypto*")),
        "loan": Value(
            "Loans",
            (
                "loan",
                "mortgage",
                "Kredit",
                "Kreditvertrag",
                "Kreditvergabe",
                "Kreditlinie",
                "Verbraucherkredit",
                "Darlehen*",
                "Hypothek*",
            ),
        ),
        "insurance": Value("Insurance products", ("life insurance", "annuity", "Lebensversicherung*")),
    },
    RuleSort.ASSET_CLASSES: {
        "equities": Value("Equities", ("equities", "Aktienmarkt")),
        "fixed_income": Value("Fixed income", ("fixed income", "Rentenmarkt")),
        "money_market": Value("Money market", ("money market", "Geldmarkt*")),
        "real_estate": Value("Real estate", ("real estate", "property fund", "Immobilie*", "REIT")),
        "commodities": Value("Commodities", ("commodity", "gold", "crude oil", "Rohstoff*")),
        "private_markets": Value("Private markets", ("private equity", "venture capital", "private debt")),
        "hedge_funds": Value("Hedge funds", ("hedge fund",)),
        "digital_assets": Value("Digital assets", ("digital asset", "crypto asset", "bitcoin", "krypto*")),
    },
    RuleSort.RISK_CLASSES: {
        str(number): Value(
            f"Risk class {number}",
            (f'"risk class {number}"', f'"risk indicator {number}"', f'"SRI {number}"', f'"Risikoklasse {number}"'),
        )
        for number in range(1, 8)
    },
    RuleSort.SOURCES: {
        "none": Value("None", ()),
        "news": Value("News", ()),
        "filings": Value("Filings of authorities", ()),
        "market_data": Value("Market data", ()),
    },
    RuleSort.RESEARCH_MODES: {
        "direct": Value("Direct", ()),
        "standard": Value("Standard", ()),
        "detailed": Value("Detailed", ()),
        "deep_search": Value("Deep search", ()),
    },
}
"""Those of the first four are looked for by words. Jurisdictions, models and regions are read elsewhere."""


def terms_not_permitted(rule: ProfileRule) -> tuple[str, ...]:
    """Return the terms that make a rule fire: its own, or those of the values that a bound does not permit.

    A term that names a permitted value too, such as a bitcoin fund's, fires for no other value.
    """
    if rule.sort not in BY_WORDS:
        return rule.terms if rule.sort in (RuleSort.TOPIC, RuleSort.PRODUCT) else ()
    values = VALUES[rule.sort]
    permitted = {term for value in rule.terms if value in values for term in values[value].terms}
    return tuple(
        dict.fromkeys(
            term
            for value, each in values.items()
            if value not in rule.terms
            for term in each.terms
            if term not in permitted
        )
    )


def value_problem(sort: RuleSort, value: str) -> str:
    """Return why a value can't be permitted by a bound of this sort; empty if it can."""
    if sort in VALUES and value not in VALUES[sort]:
        return f"permits “{value}”, which is none of: {', '.join(VALUES[sort])}."
    if sort is RuleSort.JURISDICTIONS and not JURISDICTION.fullmatch(value):
        return f"permits “{value}”, which is no jurisdiction; write codes such as DE, EU or US-NY."
    return ""
