"""Which packs there are, and the content of several together."""

from __future__ import annotations

import json
from collections import ChainMap
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from apps.intents.baseline_types import BaselineBudget, BaselineClassifier, BaselineFallback, BaselineIntent
from apps.intents.errors import PacksCollideError, UnknownPackError
from apps.intents.packs import bank_lending, company_research, fund_house, generic_company, insurance
from apps.intents.packs.beside import NARROWED


@dataclass(frozen=True, slots=True, kw_only=True)
class Pack:
    """A shipped pack. name: what pages call it; description: the firms for which it is made."""

    key: str
    name: str
    description: str
    intents: Sequence[BaselineIntent]
    fallback: BaselineFallback
    budgets: Sequence[BaselineBudget]
    total_cap_chars: int
    classifier: BaselineClassifier


def _pack(key: str, name: str, description: str, file: Any) -> Pack:
    return Pack(
        key=key,
        name=name,
        description=description,
        intents=file.INTENTS,
        fallback=file.FALLBACK,
        budgets=file.BUDGETS,
        total_cap_chars=file.TOTAL_CAP,
        classifier=file.CLASSIFIER,
    )


PACKS: Final[Mapping[str, Pack]] = {
    pack.key: pack
    for pack in (
        _pack("fund_house", "Fund house", "funds, their figures, rules, methods and reports", fund_house),
        _pack("company_research", "Company research", "companies' filings, calls, news and notes", company_research),
        _pack("bank_lending", "Bank lending and KYC", "loans, borrowers, collateral and customer files", bank_lending),
        _pack("insurance", "Insurance", "policies, underwriting, claims and reinsurance", insurance),
        _pack("generic_company", "Any company", "rules, contracts, products and projects", generic_company),
    )
}
DEFAULT_PACKS: Final = ("fund_house",)


def chosen_packs(keys: Sequence[str]) -> tuple[Pack, ...]:
    """Return the packs of these keys in the order given.

    Raises: UnknownPackError: there is no such pack, or none is named.
            PacksCollideError: two define the same kind, intent or example, or one is named twice.
    """
    if not keys:
        raise UnknownPackError(pack="", known=", ".join(PACKS))
    for key in keys:
        if key not in PACKS:
            raise UnknownPackError(pack=key, known=", ".join(PACKS))
    packs = tuple(PACKS[key] for key in keys)
    problems = tuple(_collisions(packs))
    if problems:
        raise PacksCollideError(problems=problems)
    return packs


@dataclass(frozen=True, slots=True, kw_only=True)
class SampleDocument:
    """A sample document of a pack. about: what its line of the manifest says of it, as an ingest reads it."""

    file: Path
    kind: str
    about: Mapping[str, Any]


def sample_documents(pack: str) -> tuple[SampleDocument, ...]:
    """Return the sample documents of a pack, in the order of their manifest, which `manage.py ingest` takes too."""
    folder = Path(__file__).with_name("samples") / pack
    lines = (folder / "documents.jsonl").read_text(encoding="utf-8").splitlines()
    return tuple(
        SampleDocument(file=folder / about["file"], kind=about["kind"], about=about) for about in map(json.loads, lines)
    )


def packs_content(keys: Sequence[str]) -> dict[str, Any]:
    """Return the content of the packs together, as snapshots/content.py reads it.

    Intents and kinds follow the order of the packs. Where two packs know the same questions, beside.py says whose they
    are. An unrecognised question reaches what any pack lets it reach. The thresholds are the first pack's, and the
    whole context is as long as the longest: an intent reaches the kinds of its own pack, so its context stays as it is.

    Raises: UnknownPackError, PacksCollideError.
    """
    packs = chosen_packs(keys)
    fallbacks = [pack.fallback for pack in packs]
    return {
        "intents": [
            {**intent, "decisive_terms": _terms(intent["decisive_terms"]), "terms": _terms(intent["terms"])}
            for pack in packs
            for intent in _intents_beside(pack, keys)
        ],
        "fallback": {
            "label": fallbacks[0]["label"],
            "description": " ".join(_once(fallback["description"] for fallback in fallbacks)),
            "kinds": _once(kind for fallback in fallbacks for kind in fallback["kinds"]),
            "recording_mode": fallbacks[0]["recording_mode"],
            "examples": _once(text for fallback in fallbacks for text in fallback["examples"]),
        },
        "budgets": [budget for pack in packs for budget in pack.budgets],
        "total_cap_chars": max(pack.total_cap_chars for pack in packs),
        "classifier": packs[0].classifier,
        "retrieval": {},
    }


def _intents_beside(pack: Pack, keys: Sequence[str]) -> Iterator[Mapping[str, Any]]:
    """Yield a pack's intents, narrower where another of the packs takes a part of their questions."""
    for intent in pack.intents:
        narrower = (NARROWED.get((pack.key, other), {}).get(intent["name"], {}) for other in keys)
        yield dict(ChainMap(*map(dict, narrower), dict(intent)))


def _collisions(packs: Sequence[Pack]) -> Iterator[str]:
    """Yield a sentence for each thing that two of the packs define."""
    for number, pack in enumerate(packs):
        for other in packs[:number]:
            if pack is other:
                yield f"{pack.name} is named twice; name it once."
                continue
            for what, mine, theirs in (
                ("the kind", _kinds(pack), _kinds(other)),
                ("the intent", _intents(pack), _intents(other)),
                ("the example", _examples(pack), _examples(other)),
            ):
                for key in sorted(mine & theirs):
                    yield f"{other.name} and {pack.name} both have {what} “{key}”; leave one of these packs out."


def _kinds(pack: Pack) -> set[str]:
    return {budget["kind"] for budget in pack.budgets}


def _intents(pack: Pack) -> set[str]:
    return {intent["name"] for intent in pack.intents}


def _examples(pack: Pack) -> set[str]:
    return {text for intent in pack.intents for text in intent["examples"]}


def _once(texts: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(texts))


def _terms(text: str) -> tuple[str, ...]:
    return tuple(" ".join(term.split()) for term in text.split(",") if term.strip())
