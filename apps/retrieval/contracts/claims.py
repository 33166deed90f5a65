"""What a model says that its answer claims, apart from the prose: figures with their cells, and calculations."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """A figure that an answer states, as the model says where it stands. Everything is as written; empty if unsaid.

    row, column: the label of the row and the heading of the column in the passage `ref_id`.
    """

    company: str = ""
    measure: str = ""
    period: str = ""
    value: str = ""
    unit: str = ""
    ref_id: str = ""
    row: str = ""
    column: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ClaimedCalculation:
    """A figure that an answer calculates, as the model says how: `expression` holds the operands and signs.

    operands: the figures of the passages, or results of other calculations, as they stand in the expression.
    """

    measure: str = ""
    expression: str = ""
    operands: tuple[str, ...] = ()
    result: str = ""
