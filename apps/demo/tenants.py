"""The two firms, their scopes, and the facts that only one of them knows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from apps.demo import facts_meridian, facts_northlight


@dataclass(frozen=True, slots=True, kw_only=True)
class DemoScope:
    """A scope below the firm's root."""

    key: str
    name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class DemoTenant:
    """A firm. `canaries` are words and numbers that appear in this firm's documents and not in the other firm's."""

    slug: str
    name: str
    residency_region: str
    residency_strict: bool
    equity_scope: DemoScope
    credit_scope: DemoScope
    facts: Mapping[str, str]
    periods: Mapping[int, Mapping[str, str]]
    canaries: tuple[str, ...]

    @property
    def root_scope_key(self) -> str:
        return f"firm:{self.slug}"

    @property
    def scopes(self) -> tuple[DemoScope, ...]:
        return self.equity_scope, self.credit_scope


MERIDIAN: Final = DemoTenant(
    slug="meridian",
    name="Meridian Asset Management",
    residency_region="eu",
    residency_strict=False,
    equity_scope=DemoScope(key="fund:global-equity", name="Meridian Global Equity Fund"),
    credit_scope=DemoScope(key="fund:euro-credit", name="Meridian Euro Credit Fund"),
    facts=facts_meridian.FIRM,
    periods=facts_meridian.PERIODS,
    canaries=(
        "Meridian",
        "Kestrel",
        "A-7413",
        "MER-2217",
        "R-2024-Q4-117",
        "7.84 %",
        "MI-0418",
        "EUR 148.27",
        "Pricewell",
        "Charlie Muller",
        "LU0000741301",
        "EUR 1,284 million",
        "MAM-04",
    ),
)

NORTHLIGHT: Final = DemoTenant(
    slug="northlight",
    name="Northlight Capital",
    residency_region="eu",
    residency_strict=True,
    equity_scope=DemoScope(key="fund:world-equity", name="Northlight World Equity Fund"),
    credit_scope=DemoScope(key="fund:nordic-credit", name="Northlight Nordic Credit Fund"),
    facts=facts_northlight.FIRM,
    periods=facts_northlight.PERIODS,
    canaries=(
        "Northlight",
        "Osprey",
        "NL-9036",
        "NLC-5502",
        "N-2024-12-207",
        "6.31 %",
        "NI-0102",
        "EUR 212.64",
        "Quotemark",
        "Carla Ojala",
        "EE0000903602",
        "EUR 963 million",
        "NLD-04",
    ),
)

DEMO_TENANTS: Final = (MERIDIAN, NORTHLIGHT)
