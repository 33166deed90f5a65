"""Companies, and the figures of one over its periods."""

from __future__ import annotations

from typing import Any, Final

from django.contrib import admin
from django.http import Http404, HttpRequest, HttpResponse
from django.template.response import TemplateResponse
from django.urls import reverse
from django.utils.http import content_disposition_header, urlencode
from django.utils.text import slugify
from django.views.decorators.http import require_http_methods

from apps.filings.admin.company_table import lay_out
from apps.filings.graph.contracts import EntityType
from apps.filings.graph.keys import entity_key
from apps.filings.graph.organisations import key_of_organisation
from apps.filings.selectors import companies_named, companies_with_facts, company_series
from apps.filings.selectors.entities import entity_of_key
from apps.filings.services.export import FactsFormat, facts_export
from apps.tenants.admin.base import require
from apps.tenants.roles import Permission

_TYPES: Final = {
    FactsFormat.CSV: "text/csv; charset=utf-8",
    FactsFormat.XLSX: "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
}


@require_http_methods(["GET", "HEAD", "POST"])
def companies_view(request: HttpRequest) -> HttpResponse:
    """All companies; with ?company=NAME the figures of one, of its quarters with &quarters.

    POST: the same figures as a file, which is recorded.
    """
    require(request, Permission.DOCUMENT_VIEW)
    if "company" in request.GET:
        return _company(request)
    companies = [(each, company_url(each.company)) for each in companies_with_facts()]
    return _page(request, "glassbox/companies.html", title="Companies", crumbs=[("Companies", "")], companies=companies)


def _company(request: HttpRequest) -> HttpResponse:
    found = companies_named(request.GET.get("company", ""))
    if not found:
        raise Http404("No document in your scopes is of this company.")
    company, quarters = found[0], "quarters" in request.GET
    series = company_series(company, quarters=quarters)
    if request.method == "POST":
        return _download(company, request.POST.get("format", ""), series)
    return _page(
        request,
        "glassbox/company.html",
        title=company,
        crumbs=[("Companies", reverse("admin:companies")), (company, "")],
        company=company,
        quarters=quarters,
        table=lay_out(series),
        page_url=company_url(company, quarters=quarters),
        other_url=company_url(company, quarters=not quarters),
        entity_url=_entity_url(company),
        documents_url=f"{reverse('admin:corpus_document_changelist')}?{urlencode({'q': company})}",
    )


def _entity_url(company: str) -> str:
    """Return the address of everything about a company; empty if no document in force names it."""
    key = entity_key(EntityType.ORGANISATION, key_of_organisation(company))
    return f"{reverse('admin:entities')}?{urlencode({'key': key})}" if entity_of_key(key) else ""


def company_url(company: str, *, quarters: bool = False) -> str:
    query = {"company": company, **({"quarters": "1"} if quarters else {})}
    return f"{reverse('admin:companies')}?{urlencode(query)}"


def _download(company: str, format: str, series: Any) -> HttpResponse:
    if format not in list(FactsFormat):
        raise Http404("The format is csv or xlsx.")
    wanted = FactsFormat(format)
    response = HttpResponse(facts_export(series, format=wanted), content_type=_TYPES[wanted])
    filename = f"{slugify(company) or 'company'}-figures.{wanted.value}"
    response["Content-Disposition"] = content_disposition_header(True, filename) or "attachment"
    response["Cache-Control"] = "private, no-store"
    return response


def _page(request: HttpRequest, template: str, **context: Any) -> HttpResponse:
    request.__dict__["current_app"] = admin.site.name
    every = {**admin.site.each_context(request), **context}
    return TemplateResponse(request, template, every, headers={"Cache-Control": "no-store"})
