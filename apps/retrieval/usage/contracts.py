"""Figures of requests to models."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import date
from decimal import Decimal
from typing import Final

from apps.audit.reporting.contracts import Looked, Period

NO_PRICE: Final = "no price set"
NO_COST: Final = "not known"


@dataclass(slots=True, kw_only=True)
class Figures:
    """Of some requests.

    failed: ended with an error, those of an unknown end included. repeated: not the first to their model for their
    question. unstated: the server did not state their tokens. unpriced: no price was set for their provider.
    costs: by currency; of `costed` requests. first_bytes_ms: the sum over `answered` requests.
    """

    requests: int = 0
    failed: int = 0
    unknown_ends: int = 0
    repeated: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    unstated: int = 0
    unpriced: int = 0
    costed: int = 0
    costs: dict[str, Decimal] = field(default_factory=dict)
    answered: int = 0
    first_bytes_ms: float = 0.0

    @property
    def mean_first_byte_ms(self) -> float | None:
        return round(self.first_bytes_ms / self.answered, 1) if self.answered else None

    @property
    def cost_told(self) -> str:
        """The cost in words. What has no price, or no count of tokens, is said and never counted as 0."""
        told = [f"{cost.normalize():f} {currency}" for currency, cost in sorted(self.costs.items())]
        without = self.requests - self.costed - self.unpriced
        for count, words in ((self.unpriced, NO_PRICE), (without, NO_COST)):
            if count:
                told.append(words if count == self.requests else f"{words} for {count}")
        return "; ".join(told) or "—"

    def add(self, other: Figures) -> None:
        for name in ("requests", "failed", "unknown_ends", "repeated", "input_tokens", "output_tokens"):
            setattr(self, name, getattr(self, name) + getattr(other, name))
        for name in ("unstated", "unpriced", "costed", "answered", "first_bytes_ms"):
            setattr(self, name, getattr(self, name) + getattr(other, name))
        for currency, cost in other.costs.items():
            self.costs[currency] = self.costs.get(currency, Decimal(0)) + cost


@dataclass(frozen=True, slots=True, kw_only=True, order=True)
class Sort:
    """Requests that are counted together. intent: of the question that they were made for, empty where no question was
    answered or searched for: it failed, or an evaluation, a replay, a preview or work on a policy made them.
    of_documents: they made the vectors of documents' passages.
    """

    day: date
    tenant: str
    intent: str
    profile: str
    model: str
    of_documents: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Usage:
    """Figures of a period, by sort, newest day first. looked: the ends of requests that were read."""

    period: Period
    looked: Looked
    lines: tuple[tuple[Sort, Figures], ...]

    @property
    def total(self) -> Figures:
        total = Figures()
        for _, figures in self.lines:
            total.add(figures)
        return total
