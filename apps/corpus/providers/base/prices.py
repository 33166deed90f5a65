"""What a provider asks for its work. No price is shipped: what a request costs is said only where one is set."""

from __future__ import annotations

import re
from dataclasses import dataclass
from decimal import Decimal
from typing import Final

_MILLION: Final = Decimal(1_000_000)
_NUMBER: Final = r"[0-9]{1,9}(?:\.[0-9]{1,9})?"
_FORM: Final = re.compile(rf"({_NUMBER})(?:/({_NUMBER}))? ([A-Z]{{3}})")


class UnreadablePriceError(ValueError):
    """A price that does not have the form of read_price."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Price:
    """The price of a million tokens that are read, and of a million that are written."""

    input: Decimal
    output: Decimal
    currency: str

    def __str__(self) -> str:
        return f"{self.input:f}/{self.output:f} {self.currency}"

    def cost(self, input_tokens: int | None, output_tokens: int | None) -> Decimal | None:
        """Return what a request costs; None if the server did not state its tokens.

        Embeddings write nothing, and their servers state no count of it.
        """
        if input_tokens is None and output_tokens is None:
            return None
        return (self.input * (input_tokens or 0) + self.output * (output_tokens or 0)) / _MILLION


def read_price(text: str) -> Price | None:
    """Read a price: "0.40/1.60 USD" is the price of a million tokens in, of a million out, and the currency.

    For a provider that writes no tokens, "0.02 USD" is enough. Returns: None for an empty text: no price is set.
    Raises: UnreadablePriceError.
    """
    if not text:
        return None
    found = _FORM.fullmatch(text)
    if found is None:
        raise UnreadablePriceError('must be of the form "0.40/1.60 USD": a million tokens in, a million out, currency')
    return Price(input=Decimal(found[1]), output=Decimal(found[2] or "0"), currency=found[3])
