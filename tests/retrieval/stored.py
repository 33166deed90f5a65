"""Documents written straight into the tables, already searchable: for tests of the SQL that searches them."""

from __future__ import annotations

import hashlib
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from datetime import date
from uuid import UUID, uuid4

from apps.corpus.extraction.statements import Statement
from apps.corpus.kinds import DocumentType, Kind
from apps.corpus.models import Chunk, Document, DocumentStatus, Embedding384, Posting
from apps.corpus.terms import TERMS_VERSION, statement_term, terms
from apps.intents.fund_house import FundHouse
from apps.retrieval.contracts import DocumentFilter, SearchBounds, WeightedTerm
from apps.tenants.ids import ScopeId
from apps.tenants.models import Scope
from tests.factories import Firm
from tests.model_server import hashed_vector

MODEL = "hashed"


def store(
    scope: Scope,
    texts: Sequence[str],
    *,
    kind: Kind = FundHouse.REFERENCE_REPORT,
    title: str = "A report",
    company: str = "",
    fiscal_year: int | None = None,
    fiscal_quarter: int | None = None,
    document_type: DocumentType = DocumentType.REPORT,
    status: DocumentStatus = DocumentStatus.READY,
    model: str = MODEL,
    published_on: date | None = None,
    jurisdictions: Sequence[str] = (),
    statements: Mapping[Statement, Sequence[int]] | None = None,
) -> list[UUID]:
    """Store one document with one chunk a text, each on a page of its own.

    Args:    statements: the numbers of the chunks, from 1, on whose page each statement is printed.
    Returns: the chunk ids, in the order of the texts.
    """
    own = {"tenant_id": scope.tenant_id, "scope_id": scope.id}
    counted = [Counter(terms(text, "en")) for text in texts]
    document = Document.objects.create(
        **own,
        kind=kind,
        title=title,
        slug=f"{title.lower().replace(' ', '-')}-{uuid4().hex[:8]}",
        company=company,
        fiscal_year=fiscal_year,
        fiscal_quarter=fiscal_quarter,
        published_on=published_on,
        jurisdictions=list(jurisdictions),
        document_type=document_type,
        language="en",
        series_id=uuid4(),
        status=status,
        filename="a.txt",
        byte_size=1,
        content_sha256="0" * 64,
        chunk_count=len(texts),
        term_count=sum(count.total() for count in counted),
        terms_version=TERMS_VERSION,
    )
    chunks = [
        Chunk.objects.create(
            **own,
            document=document,
            kind=kind,
            number=number,
            text=text,
            context_header=title,
            page_start=number,
            page_end=number,
            char_start=0,
            char_end=len(text),
            token_count=len(text.split()),
            content_sha256=hashlib.sha256(text.encode()).hexdigest(),
        )
        for number, text in enumerate(texts, start=1)
    ]
    posted: dict[str, list[tuple[int, int, int]]] = defaultdict(list)
    for number, count in enumerate(counted, start=1):
        for term, frequency in count.items():
            posted[term].append((number, frequency, count.total()))
    for statement, numbers in (statements or {}).items():
        posted[statement_term(statement.value)] = [(number, 1, counted[number - 1].total()) for number in numbers]
    for term, rows in posted.items():
        numbers, frequencies, lengths = (list(column) for column in zip(*rows, strict=True))
        Posting.objects.create(
            **own,
            document=document,
            kind=kind,
            term=term,
            chunk_numbers=numbers,
            term_frequencies=frequencies,
            chunk_term_counts=lengths,
        )
    for chunk in chunks:
        Embedding384.objects.create(
            **own,
            document=document,
            chunk=chunk,
            kind=kind,
            model=model,
            vector=hashed_vector(chunk.text, 384).tolist(),
        )
    return [chunk.id for chunk in chunks]


def bounds(
    firm: Firm,
    *scopes: str,
    kinds: Sequence[Kind] = (FundHouse.REFERENCE_REPORT,),
    filter: DocumentFilter | None = None,
) -> SearchBounds:
    """Bounds over the named scopes, or over all of the firm's."""
    ids = firm.scope_ids(*(scopes or firm.scopes))
    return SearchBounds(
        tenant_id=firm.id,
        scope_ids=tuple(ScopeId(each) for each in ids),
        kinds=tuple(kinds),
        filter=filter or DocumentFilter(),
    )


def weighted(*words: str) -> tuple[WeightedTerm, ...]:
    return tuple(WeightedTerm(term=word, weight=1.0, source="question") for word in words)


def adopt(chunk_ids: Sequence[UUID]) -> None:
    """Give stored passages of one document a parent."""
    first = Chunk.objects.get(id=chunk_ids[0])
    parent = Chunk.objects.create(
        tenant_id=first.tenant_id,
        scope_id=first.scope_id,
        document_id=first.document_id,
        kind=first.kind,
        number=first.number,
        is_parent=True,
        text="All of it.",
        page_start=first.page_start,
        page_end=first.page_end,
        char_start=0,
        char_end=1,
        token_count=1,
        content_sha256="0" * 64,
    )
    Chunk.objects.filter(id__in=chunk_ids).update(parent_id=parent.id)
