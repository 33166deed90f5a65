"""A fiscal period, as documents, figures and questions name it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True, order=True)
class Period:
    """A fiscal year or one of its quarters. Quarter 0 stands for the whole year, so that periods sort."""

    fiscal_year: int
    fiscal_quarter: int = 0

    @property
    def label(self) -> str:
        return f"Q{self.fiscal_quarter} {self.fiscal_year}" if self.fiscal_quarter else f"FY{self.fiscal_year}"
