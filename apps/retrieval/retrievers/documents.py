"""Which documents a search may see: live documents in the granted scopes, of a permitted kind, that pass the filters.

A document is live if it is ready now; for a question as of an instant, if it was the current version then. A restricted
document is never live. The row-level policies hide it from readers but not from the platform itself, which uses the
same search to run evaluations and to measure the impact of a policy, so it is excluded here.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any, Final, Protocol, TypeVar
from uuid import UUID

from django.contrib.postgres.fields import ArrayField
from django.db.models import BooleanField, Func, Q, QuerySet, TextField, Value
from psycopg import sql

from apps.corpus.kinds import DocumentType
from apps.corpus.models import Document, DocumentStatus
from apps.corpus.models.document import PUBLISHED
from apps.corpus.selectors import Unrestricted
from apps.retrieval.contracts import CompanyPeriods, DocumentFilter, GivenFilters, SearchBounds
from apps.sql_files import read_statements

_SQL: Final = read_statements(__file__)
GIVEN: Final = sql.SQL(_SQL["given"])
OWN_PERIODS: Final = sql.SQL(_SQL["own_periods"])
_DOCUMENTS = sql.SQL(_SQL["documents"])
_READY: Final = sql.SQL("d.status = {}").format(sql.Literal(DocumentStatus.READY.value))
# A version that was added after its successor was never current: its valid_to equals its valid_from.
_CURRENT_THEN: Final = sql.SQL(
    "d.status IN ({}) AND d.valid_from <= %(as_of)s::timestamptz "
    "AND (d.valid_to IS NULL OR d.valid_to > %(as_of)s::timestamptz)"
).format(sql.SQL(", ").join(sql.Literal(status.value) for status in PUBLISHED))


def _with(live: sql.Composable) -> sql.Composed:
    return _DOCUMENTS.format(
        document=sql.Identifier(Document._meta.db_table),
        unstated=sql.Literal(DocumentType.OTHER.value),
        live=live,
        own_periods=OWN_PERIODS,
        given=GIVEN,
    )


# The key says whether the question is as of an instant. Each case has its own statement, so that the planner sees no
# condition that may be null.
LIVE: Final[Mapping[bool, sql.Composed]] = {False: _READY, True: _CURRENT_THEN}
LIVE_DOCUMENTS: Final[Mapping[bool, sql.Composed]] = {past: _with(condition) for past, condition in LIVE.items()}


class _CompanyAmong(Func):
    """Whether the company is one of a list. It is bound as one parameter, because a query takes no more than 65,535."""

    template = "(%(expressions)s))"
    arg_joiner = " = ANY ("
    output_field = BooleanField()

    def __init__(self, names: list[str]) -> None:
        super().__init__("company", Value(names, output_field=ArrayField(TextField())))


def reachable(bounds: SearchBounds) -> QuerySet[Document]:
    """Return the documents that may be found within the bounds, without the filter that was read from the text."""
    found: QuerySet[Document] = within_reach(bounds).filter(_given(bounds.given))
    return found


def within_reach(bounds: SearchBounds) -> QuerySet[Document]:
    """Return the live documents of the scopes and kinds, regardless of the filters that came with the question."""
    found: QuerySet[Document] = Document.objects.filter(
        live(bounds), tenant_id=bounds.tenant_id, scope_id__in=bounds.scope_ids, kind__in=bounds.kinds
    )
    return found


def _given(given: GivenFilters) -> Q:
    """Return GIVEN as a condition on Document."""
    condition = Q()
    if given.documents is not None:
        condition &= Q(id__in=given.documents)
    if given.companies is not None:
        condition &= Q(company__in=given.companies)
    if given.kinds is not None:
        condition &= Q(kind__in=given.kinds)
    if given.periods is not None:
        wanted = Q(id__in=())
        for period in given.periods:
            quarter = {"fiscal_quarter": period.fiscal_quarter} if period.fiscal_quarter else {}
            wanted |= Q(fiscal_year=period.fiscal_year, **quarter)
        condition &= wanted
    return condition


def of_own_periods(narrowed: DocumentFilter) -> Q:
    """Return OWN_PERIODS as a condition on Document."""
    if not narrowed.of_companies:
        return Q()
    companies: dict[tuple[int, int], list[str]] = defaultdict(list)
    for company, year, quarter in _spell_out(narrowed.of_companies):
        companies[year, quarter].append(company)
    wanted = Q(fiscal_year__isnull=True)
    for (year, quarter), names in companies.items():
        stated = Q(fiscal_quarter=quarter) if quarter else Q(fiscal_quarter__isnull=True)
        wanted |= Q(_CompanyAmong(names)) & Q(fiscal_year=year) & stated
    return wanted


def _spell_out(of_companies: Iterable[CompanyPeriods]) -> list[tuple[str, int, int]]:
    """Return the company, year and quarter (0: none) of every document that belongs to one of the companies' periods.

    A year holds all of its quarters; a document of a whole year belongs to each of its quarters.
    """
    spelled = dict.fromkeys(
        (each.company, period.fiscal_year, quarter)
        for each in of_companies
        for period in each.periods
        for quarter in ((0, period.fiscal_quarter) if period.fiscal_quarter else range(5))
    )
    return list(spelled)


def live(bounds: SearchBounds) -> Q:
    """Return a condition on Document for the live, unrestricted documents that LIVE selects."""
    unrestricted = Q(Unrestricted("id"))
    if bounds.as_of is None:
        return Q(status=DocumentStatus.READY) & unrestricted
    still = Q(valid_to__isnull=True) | Q(valid_to__gt=bounds.as_of)
    return Q(status__in=PUBLISHED, valid_from__lte=bounds.as_of) & still & unrestricted


def may_be_read(document_ids: Collection[UUID]) -> bool:
    """Return whether all of these documents exist and none is restricted. Costs one query; none for no documents."""
    wanted = set(document_ids)
    if not wanted:
        return True
    return bool(Document.objects.filter(Q(Unrestricted("id")), id__in=wanted).count() == len(wanted))


def are_within_reach(document_ids: Collection[UUID], bounds: SearchBounds) -> bool:
    """Return whether a search within these bounds would still find all of these documents.

    The filters that came with the question are not looked at. Costs one query; none for no documents.
    """
    wanted = set(document_ids)
    return not wanted or within_reach(bounds).filter(id__in=wanted).count() == len(wanted)


class FromDocuments(Protocol):
    """What was written from documents."""

    document_ids: Any


WrittenT = TypeVar("WrittenT", bound=FromDocuments)


def readable_among(written: Sequence[WrittenT]) -> list[WrittenT]:
    """Return those whose documents may all be read.

    Costs: one query; one more for each where a document may not be read.
    """
    if may_be_read({document for each in written for document in each.document_ids}):
        return list(written)
    return [each for each in written if may_be_read(each.document_ids)]


def bound_parameters(bounds: SearchBounds) -> dict[str, Any]:
    """Return the parameters of LIVE_DOCUMENTS, to be bound on the server's side."""
    return {
        "tenant": bounds.tenant_id,
        "scopes": list(bounds.scope_ids),
        "kinds": [str(kind) for kind in bounds.kinds],
        "companies": list(bounds.filter.companies),
        "document_types": list(bounds.filter.document_types),
        "jurisdictions": list(bounds.filter.jurisdictions),
        "years": [period.fiscal_year for period in bounds.filter.periods],
        "quarters": [period.fiscal_quarter for period in bounds.filter.periods],
        "own_quarter_only": bounds.filter.own_quarter_only,
        **own_period_parameters(bounds.filter),
        **given_parameters(bounds.given),
        **({} if bounds.as_of is None else {"as_of": bounds.as_of}),
    }


def own_period_parameters(narrowed: DocumentFilter) -> dict[str, Any]:
    """Return the parameters of OWN_PERIODS."""
    spelled = _spell_out(narrowed.of_companies)
    return {
        "own_companies": [company for company, _, _ in spelled],
        "own_years": [year for _, year, _ in spelled],
        "own_quarters": [quarter for _, _, quarter in spelled],
    }


def given_parameters(given: GivenFilters) -> dict[str, Any]:
    """Return the parameters of GIVEN."""
    periods = given.periods
    return {
        "given_documents": None if given.documents is None else list(given.documents),
        "given_companies": None if given.companies is None else list(given.companies),
        "given_kinds": None if given.kinds is None else [str(kind) for kind in given.kinds],
        "given_years": None if periods is None else [period.fiscal_year for period in periods],
        "given_quarters": None if periods is None else [period.fiscal_quarter for period in periods],
    }
