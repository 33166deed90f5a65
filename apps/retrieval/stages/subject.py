"""Whether the context is about whom the question is about."""

from __future__ import annotations

from apps.corpus.terms import terms
from apps.retrieval.contracts import ContextBlock, QueryAnalysis


def unknown_names(analysis: QueryAnalysis, context: ContextBlock) -> tuple[str, ...]:
    """The question's names whose first, distinguishing word stands in no passage, header or title.

    Args:    analysis: with the names of several words that no held company explains.
             context: what an answer may be written from.
    Returns: the names as the question has them.
    """
    texts = [context.text]
    for passage in context.passages:
        document = passage.chunk.document
        texts += [passage.chunk.text, passage.chunk.context_header, document.title, document.company]
    held = frozenset(terms("\n".join(texts), analysis.language))
    return tuple(name for name in analysis.names if not held & set(terms(name.split()[0], analysis.language)))
