"""Which documents the folder holds: how each is made, and what documents.jsonl says of it."""

from __future__ import annotations

from typing import Final

from tests.evaluation.sources.contracts import Source
from tests.evaluation.sources.firm import firm_sources
from tests.evaluation.sources.funds import fund_sources
from tests.evaluation.sources.quellbach import quellbach_sources
from tests.evaluation.sources.tarnwick import tarnwick_sources
from tests.evaluation.sources.velmora import velmora_sources

SOURCES: Final[tuple[Source, ...]] = (
    *tarnwick_sources(),
    *velmora_sources(),
    *quellbach_sources(),
    *fund_sources(),
    *firm_sources(),
)

__all__ = ["SOURCES", "Source"]
