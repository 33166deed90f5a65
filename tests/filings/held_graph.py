"""Short ways to documents with a graph, and to its rows."""

from __future__ import annotations

from typing import Any

from apps.corpus.models import Document
from apps.filings.models import EntityMention, Relation
from apps.tenants.context import open_scope
from apps.tenants.principals import Principal
from tests.corpus.ingesting import document, ingest, run
from tests.factories import Firm

COMPANY = "Velden Cranes plc"
TEXT = """# Velden annual report {year}

## Business

Velden Cranes plc sells cranes in Germany and in France. In {year}, we acquired Ostrava Hoists Ltd. for $12 million.
Brno Winches Ltd. is a wholly owned subsidiary of Velden Cranes plc. Velden Cranes plc competes with Nordwind AG.
Velden Cranes plc is headquartered in Hamburg. Velden Cranes plc is subject to the GDPR. See Note 3 for taxes.

## Management

Jane Doe, our Chief Executive Officer, signed the report. Ms. Doe lives in France. Total assets rose by 4.5 %.

## Note 3 - Taxes

Taxes were paid on March 21, {year}.
"""


def take_in(firm: Firm, year: int = 2024, *, text: str = TEXT, scope: str = "fund:alpha", **more: Any) -> Document:
    """Upload a report and have it read. Returns: the document."""
    about = {"company": COMPANY, "fiscal_year": year, "title": f"Velden annual report {year}", **more}
    content = text.replace("{year}", str(year)).encode()
    made = ingest(firm, content, filename=f"velden-{year}.md", scope=scope, **about)
    run(firm, made.job)
    return document(firm, made.document.id)


def mentions(firm: Firm, principal: Principal | None = None, **wanted: Any) -> list[EntityMention]:
    """The mentions that somebody sees."""
    with open_scope(tenant=firm.id, principal=principal, reason="a test"):
        return list(EntityMention.objects.filter(**wanted))


def relations(firm: Firm, principal: Principal | None = None, **wanted: Any) -> list[Relation]:
    """The relations that somebody sees."""
    with open_scope(tenant=firm.id, principal=principal, reason="a test"):
        return list(Relation.objects.filter(**wanted))
