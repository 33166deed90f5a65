"""Documents written straight into the tables, already searchable: for tests of the SQL that searches them."""

from __future__ import annotations

import hashlib
from collections import Counter, defaultdict
from collections.abc import Sequence
from datetime import date
from uuid import UUID, uuid4

from apps.corpus.kinds import DocumentType, Kind
from apps.corpus.models import Chunk, Document, DocumentStatus, Embedding384, Posting
from apps.corpus.terms import TERMS_VERSION, terms
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
    kind: Kind = Kind.REFERENCE_REPORT,
    title: str = "A report",
    company: str = "",
    fiscal_year: int | None = None,
    fiscal_quarter: int | None = None,
    document_type: DocumentType = DocumentType.REPORT,
    status: DocumentStatus = DocumentStatus.READY,
    model: str = MODEL,
    published_on: date | None = None,
) -> list[UUID]:
    """Store one document with one chunk a text, each on a page of its own.

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
    kinds: Sequence[Kind] = (Kind.REFERENCE_REPORT,),
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
