"""Return the questions to ask, of a folder or of a tenant, with what each should find, and the tenant's own corpus."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import Final

from apps.corpus.models import Document, DocumentStatus
from apps.quality.errors import EvaluationError
from apps.quality.evaluation.contracts import EvaluationQuestion, Expected
from apps.quality.evaluation.folder_contents import Folder, FolderQuery
from apps.quality.evaluation.loading import Loaded
from apps.quality.evaluation.runner import Corpus
from apps.quality.models import EvaluationQuery
from apps.tenants.ids import ScopeId
from apps.tenants.models import Scope
from apps.tenants.selectors.grants import subtree

_OWN: Final = "own questions"


def folder_questions(folder: Folder, loaded: Loaded, scope_id: ScopeId) -> list[EvaluationQuestion]:
    """Return the folder's questions, each asked within the folder's own scope.

    A document whose file could not be read is still expected, because it should have been found. A document that the
    folder does not list is not in the corpus and is not expected.
    """
    return [
        EvaluationQuestion(
            key=query.id,
            text=query.text,
            answer=query.answer,
            type=query.type,
            expected=_expected(query, folder, loaded),
            scope_id=scope_id,
            scope_ids=(scope_id,),
            accepts=query.accepts,
            polarity=query.polarity,
            language=query.language,
        )
        for query in folder.queries
    ]


def own_questions() -> list[EvaluationQuestion]:
    """Return the open tenant's evaluation questions, each within its scope and those below. Costs three queries."""
    tree = [(ScopeId(i), ScopeId(p) if p else None) for i, p in Scope.objects.values_list("id", "parent_id")]
    queries: list[EvaluationQuery] = list(EvaluationQuery.objects.order_by("created_at", "id"))
    return [
        EvaluationQuestion(
            key=str(query.id),
            text=query.text,
            answer="",
            type="",
            expected=Expected(
                documents=frozenset({str(query.series_id)}),
                pages=frozenset((str(query.series_id), page) for page in query.pages),
            ),
            scope_id=ScopeId(query.scope_id),
            scope_ids=tuple(sorted(subtree([ScopeId(query.scope_id)], tree))),
        )
        for query in queries
    ]


def chosen(
    questions: Sequence[EvaluationQuestion], *, keys: Sequence[str] = (), limit: int | None = None
) -> list[EvaluationQuestion]:
    """Return the named questions, or all; only the first of them if a limit is given.

    Raises: EvaluationError: none is left, or a named question does not exist.
    """
    known = {question.key: question for question in questions}
    missing = [key for key in keys if key not in known]
    if missing:
        raise EvaluationError("retrieval.evaluation_no_questions", what=f"no question has the id {', '.join(missing)}")
    found = [known[key] for key in dict.fromkeys(keys)] if keys else list(questions)
    if not found[:limit]:
        raise EvaluationError("retrieval.evaluation_no_questions", what="the folder or tenant has none")
    return found[:limit]


def _expected(query: FolderQuery, folder: Folder, loaded: Loaded) -> Expected:
    listed = [each for each in query.relevant if each.document in folder.listed]
    keys = {each.document: loaded.keys.get(each.document, f"not in the corpus: {each.document}") for each in listed}
    return Expected(
        documents=frozenset(keys.values()),
        pages=frozenset((keys[each.document], each.page) for each in listed if each.page is not None),
    )


def own_corpus() -> Corpus:
    """Return the corpus of everything that the open scope holds. Costs one query."""
    rows = list(
        Document.objects.filter(status=DocumentStatus.READY)
        .order_by("series_id")
        .values_list("series_id", "kind", "content_sha256", "title", "chunk_count")
    )
    lines = "\n".join(f"{series} {kind} {content}" for series, kind, content, _, _ in rows)
    return Corpus(
        dataset=_OWN,
        documents=len(rows),
        chunks=sum(row[4] for row in rows),
        sha256=hashlib.sha256(lines.encode()).hexdigest(),
        names={str(series): title for series, _, _, title, _ in rows},
    )
