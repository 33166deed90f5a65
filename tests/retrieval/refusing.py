"""A firm whose documents can be taken away one at a time, and what is asked of each of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from apps.corpus.kinds import Kind
from apps.demo.catalogue import demo_documents
from apps.demo.tenants import MERIDIAN
from apps.intents.packs.fund_house import BUDGETS
from apps.retrieval.contracts import Answer, Question
from apps.retrieval.pipeline import answer
from apps.retrieval.services.wiring import dependencies_for
from apps.tenants.context import open_scope
from apps.tenants.ids import ScopeId
from apps.tenants.selectors.tenants import current_tenant
from tests.corpus.ingesting import ingest, run
from tests.factories import Firm, make_firm
from tests.retrieval.builders import budget
from tests.retrieval.doubles import ScriptedGate


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """A question that one document answers; `quote` stands in every right answer."""

    text: str
    document: str
    quote: str


def _asked(facts: Mapping[str, str], latest: Mapping[str, str], before: Mapping[str, str]) -> tuple[Asked, ...]:
    old, new, credit = "quarterly-report-2023-q4.md", "quarterly-report-2024-q4.md", "credit-report-2024-q4.md"
    castellan, halden = "castellan-airlines-annual-report-2024.pdf", "halden-paper-earnings-release-2024-q4.md"
    rows = (
        ("What was the maximum drawdown in Q4 2024?", new, latest["drawdown"]),
        ("What was the tracking error of the equity fund in Q4 2024?", new, latest["tracking_error"]),
        ("What was the net asset value per share at the end of Q4 2024?", new, latest["nav"]),
        ("What was the maximum drawdown in Q4 2023?", old, before["drawdown"]),
        ("How high was the turnover in Q4 2023?", old, before["turnover"]),
        ("What was the volatility in Q4 2023?", old, before["volatility"]),
        ("What was the Sharpe ratio in Q4 2023?", old, before["sharpe"]),
        ("What was the yield of the credit fund in Q4 2024?", credit, facts["credit_yield"]),
        ("What was the average rating of the credit fund in Q4 2024?", credit, facts["credit_rating"]),
        ("How much of the equity fund may we hold in a single issuer?", "compliance-profile.md", "issuer"),
        ("Above which value are gifts declined?", "compliance-profile.md", facts["gift_limit"]),
        ("Within how many days is a complaint answered?", "compliance-profile.md", facts["complaint_days"]),
        ("How do you measure value at risk?", "methodology-risk.docx", facts["var_confidence"]),
        (
            "What redemptions does the liquidity stress test assume?",
            "methodology-risk.docx",
            facts["redemption_stress"],
        ),
        ("How is the interaction term attributed?", "methodology-attribution.md", "interaction"),
        ("Which risk-free rate does the Sharpe ratio use?", "methodology-performance.md", facts["risk_free_rate"]),
        ("What is the management fee of the equity fund?", "fund-profile-equity.md", facts["equity_fee"]),
        ("What is the management fee of the credit fund?", "fund-profile-credit.md", facts["credit_fee"]),
        (
            "How much did the credit fund pay out per share in 2024?",
            "fund-profile-credit.md",
            facts["distribution_2024"],
        ),
        ("Which words does our house style avoid?", "house-style.md", "headwinds"),
        (
            "Which disclaimer does a report to French investors carry?",
            "marketing-rules.html",
            facts["disclaimer_prefix"],
        ),
        ("Who is the chief investment officer?", "firm-profile.md", facts["cio"]),
        ("When is the audited annual report due?", "reporting-calendar.json", "30 April"),
        ("How complete is the data set of bond prices?", "dataset-summary.csv", facts["complete_bonds"]),
        ("What were the net sales of Halden Paper in FY2024?", halden, "16,874"),
        ("What was the capital expenditure of Halden Paper in FY2024?", halden, "1,204"),
        ("What was the free cash flow of Halden Paper in FY2024?", halden, "1,390"),
        ("How much will the closing cost Halden Paper?", "halden-paper-earnings-call-2024-q4.html", "140 million"),
        ("What was the capital expenditure of Castellan Airlines in FY2024?", castellan, "389"),
        ("What was the net income of Castellan Airlines in FY2024?", castellan, "214"),
        ("What was the long-term debt of Castellan Airlines in FY2024?", castellan, "1,385"),
        ("How many aircraft did Castellan Airlines ground?", "castellan-airlines-news-2025-01.md", "nine"),
    )
    return tuple(Asked(text=text, document=document, quote=quote) for text, document, quote in rows)


ASKED = _asked(MERIDIAN.facts, MERIDIAN.periods[2024], MERIDIAN.periods[2023])
NOT_HELD = (
    *(
        f"What was the {figure} of Castellan Airlines in FY{year}?"
        for figure in ("revenue", "net income")
        for year in (2021, 2026)
    ),
    *(f"What was the {figure} of Halden Paper in FY2019?" for figure in ("net sales", "free cash flow", "net debt")),
    *(f"What was the {figure} in Q4 2021?" for figure in ("maximum drawdown", "tracking error", "volatility")),
    *(f"What was the {figure} of Brightwater Shipping in FY2024?" for figure in ("revenue", "capital expenditure")),
    "What was the net income of XYQ in FY2024?",
    "What was the maximum drawdown of the Harbour Point Growth Fund in Q4 2024?",
    "What was the net asset value of the Northlight World Equity Fund in Q4 2024?",
    "How many patents does Castellan Airlines hold?",
    "What was the goodwill of Halden Paper in FY2024?",
    "What was the research and development expense of Halden Paper in FY2024?",
)
"""Other companies, other years, and figures that no document holds."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HeldFirm:
    """The demo's firm with each document in a scope of its own: a document is gone where its scope is not asked."""

    firm: Firm
    scopes: Mapping[str, ScopeId]

    def ask(self, text: str, *, without: str = "") -> Answer:
        """Ask over all kinds of document, in the shipped pipeline."""
        with open_scope(tenant=self.firm.id, reason="a test"):
            budgets = [
                budget(Kind(row["kind"]), row["cap_chars"], position) for position, row in enumerate(BUDGETS, start=1)
            ]
            deps = replace(
                dependencies_for(current_tenant()),
                intents=ScriptedGate(budgets, total_cap_chars=sum(row["cap_chars"] for row in BUDGETS)),
            )
            scopes = tuple(sorted(scope for name, scope in self.scopes.items() if name != without))
            return answer(Question(text=text, tenant_id=self.firm.id, scope_ids=scopes), deps=deps).answer


def hold_demo() -> HeldFirm:
    """Ingest every document of the demo's first firm, with the embedding provider that is configured."""
    documents = demo_documents(MERIDIAN)
    keys = {document.file_name: f"fund:d{number}" for number, document in enumerate(documents)}
    firm = make_firm("meridian", funds=[key.removeprefix("fund:") for key in keys.values()])
    for document in documents:
        about = document.metadata
        result = ingest(
            firm,
            document.content,
            filename=document.file_name,
            scope=keys[document.file_name],
            kind=document.kind,
            **{name: getattr(about, name) for name in about.__dataclass_fields__ if name != "external_id"},
        )
        run(firm, result.job)
    return HeldFirm(firm=firm, scopes={name: ScopeId(firm.scopes[key].id) for name, key in keys.items()})
