"""The way from an answer to its quotes, and from one to the next."""

from __future__ import annotations

from dataclasses import dataclass
from typing import cast
from urllib.parse import parse_qs, urlsplit
from uuid import UUID

from apps.corpus.admin.document_hits import MOST_HITS
from apps.retrieval.admin.ask_links import citation_url
from apps.retrieval.contracts import Citation


@dataclass(frozen=True)
class _Quote:
    """As much of a citation as a link needs."""

    document_id: UUID
    page: int
    char_start: int
    char_end: int


def _citation(number: int) -> Citation:
    return cast(Citation, _Quote(UUID(int=number), number, 10, 18))


def test_a_single_quote_needs_no_way() -> None:
    only = _citation(1)
    assert citation_url(only, [only]) == citation_url(only)
    assert "hits" not in citation_url(only)


def test_each_link_carries_all_quotes_of_the_answer_and_the_way_back() -> None:
    cited = [_citation(1), _citation(2), _citation(1)]
    address = urlsplit(citation_url(cited[1], cited, answer="/admin/ask/7/"))
    assert address.path == f"/admin/corpus/document/{UUID(int=2)}/page/"
    assert address.fragment == "quote"
    hits = "~".join(f"{UUID(int=number).hex}.{number}.10.18" for number in (1, 2))
    asked = {"page": ["2"], "start": ["10"], "end": ["18"], "hits": [hits], "answer": ["/admin/ask/7/"]}
    assert parse_qs(address.query) == asked


def test_no_link_is_longer_than_what_a_page_lists() -> None:
    cited = [_citation(number) for number in range(1, MOST_HITS + 10)]
    (hits,) = parse_qs(urlsplit(citation_url(cited[0], cited)).query)["hits"]
    assert len(hits.split("~")) == MOST_HITS
