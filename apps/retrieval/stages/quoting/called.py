"""See what a document calls itself in its first line, and which passages are of another file than the one asked for."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

from apps.retrieval.contracts import ContextBlock, QueryAnalysis
from apps.retrieval.contracts.question import DocumentId
from apps.retrieval.stages.question.names import identifiers

_LONGEST_CHARS: Final = 80


def first_lines(context: ContextBlock) -> dict[DocumentId, str]:
    """Return the first line of each document whose beginning is in the context; one without a short line has none."""
    lines = {
        each.chunk.document.document_id: each.chunk.text.partition("\n")[0]
        for each in context.passages
        if each.chunk.char_start == 0
    }
    return {document: line for document, line in lines.items() if len(line) <= _LONGEST_CHARS}


def of_other_files(analysis: QueryAnalysis, context: ContextBlock, called: Mapping[DocumentId, str]) -> frozenset[int]:
    """Return which passages are of another file or model than the one asked for; all, if none is about that one.

    If some are about it, a passage of a document whose beginning is not in the context may be about it as well.
    """
    # "TW-200" may be written "TW 200".
    forms = ("[-/\\s]?".join(map(re.escape, re.split("[-/]", sign))) for sign in identifiers(analysis.text))
    signs = [re.compile(rf"(?<![\w-]){form}(?![\w-])") for form in forms]
    if not signs:
        return frozenset()
    of_one, of_others = set(), set()
    for index, passage in enumerate(context.passages):
        document = passage.chunk.document
        text = f"{passage.chunk.text}\n{document.title}\n{called.get(document.document_id, '')}"
        if all(sign.search(text) for sign in signs):
            of_one.add(index)
        elif document.document_id in called:
            of_others.add(index)
    return frozenset(of_others if of_one else range(len(context.passages)))
