"""Short ways to documents with facts, and to these."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from apps.corpus.models import Document
from apps.filings.models import Fact
from apps.tenants.context import open_scope
from apps.tenants.principals import Principal
from tests.corpus.ingesting import document, ingest, run
from tests.factories import Firm
from tests.filings.reports import COMPANY, YEARS, Year, report_html


def take_in(firm: Firm, year: int, *, years: Mapping[int, Year] = YEARS, misprint: int = 0, **more: Any) -> Document:
    """Upload a report and have it read. Returns: the document."""
    about = {"company": COMPANY, "fiscal_year": year, "title": f"Velden annual report {year}", **more}
    made = ingest(firm, report_html(year, years=years, misprint=misprint), filename=f"velden-{year}.html", **about)
    run(firm, made.job)
    return document(firm, made.document.id)


def facts(firm: Firm, principal: Principal | None = None, **wanted: Any) -> list[Fact]:
    """The facts that somebody sees, in the order of their documents."""
    with open_scope(tenant=firm.id, principal=principal, reason="a test"):
        return list(Fact.objects.filter(**wanted).select_related("document").order_by("document__created_at", "number"))
