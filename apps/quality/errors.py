"""Errors of evaluations, their questions and previews, with what to do about them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from apps.errors import CodedError


class EvaluationQuestionError(CodedError):
    """What is wrong with a question of the tenant's own evaluation."""

    kinds: ClassVar[Mapping[str, tuple[int, str]]] = {
        # Data: scope (its key).
        "retrieval.evaluation_question_taken": (
            409,
            "{scope} already has this question. Remove it there first, or ask something else.",
        ),
        # Data: document (as it was named). The error does not tell whether the document is missing or may not be
        # seen.
        "retrieval.expected_document_unknown": (
            400,
            (
                "There is no searchable document {document} that you may see. Choose one of the suggestions, or copy "
                "the short name from its citations."
            ),
        ),
        # Data: scope, document_scope (keys).
        "retrieval.expected_document_outside_scope": (
            400,
            (
                "The document is in {document_scope}, which a question asked within {scope} does not search. Ask "
                "within {document_scope}, or within a scope above it."
            ),
        ),
        # Data: pages (of the document), page.
        "retrieval.expected_pages_unknown": (
            400,
            "The document has {pages} pages, so there is no page {page}. Enter pages from 1 to {pages}, or none.",
        ),
    }


class EvaluationError(CodedError):
    """Why an evaluation can't run, or can't be shown."""

    kinds: ClassVar[Mapping[str, tuple[int, str]]] = {
        # Data: folder, problems (one a line, each with its file and line).
        "retrieval.evaluation_folder": (422, "The evaluation folder {folder} can't be used:\n{problems}"),
        # Data: what.
        "retrieval.evaluation_no_questions": (422, "No question was selected: {what}."),
        # Data: slug, why.
        "retrieval.evaluation_foreign_tenant": (
            409,
            (
                "The tenant {slug} was not made for evaluation folders ({why}), and an evaluation would change what "
                "its questions may reach. Nothing was done. To ask its own evaluation questions, use --tenant {slug}."
            ),
        ),
        # Data: run.
        "retrieval.evaluation_unknown_run": (
            404,
            "There is no finished evaluation run {run} in this tenant. The admin lists them under Quality.",
        ),
        # Data: stage.
        "retrieval.evaluation_without_provider": (
            409,
            (
                "The embedding provider did not answer (stage {stage}), and the figures would not be those of real "
                "answers. Run the command again once it answers."
            ),
        ),
    }


class ImpactError(CodedError):
    """Why the impact preview of a policy version can't be computed."""

    kinds: ClassVar[Mapping[str, tuple[int, str]]] = {
        # Data: number, status.
        "retrieval.impact_nothing_to_preview": (
            409,
            "Version {number} is {status}, so it has no upcoming change whose impact could be computed.",
        ),
        # Data: number.
        "retrieval.impact_outdated": (
            409,
            (
                "Version {number} was changed while its impact was computed, so part of the preview would describe "
                "the earlier content."
            ),
        ),
        "retrieval.impact_documents_removed": (
            409,
            "Documents in this preview were removed while it was computed. Compute it again.",
        ),
        # Data: stage.
        "retrieval.impact_without_provider": (
            409,
            (
                "The embedding provider did not answer (stage {stage}). Without it, questions are judged and searched "
                "only by words, and the figures would not match real answers. Compute it again once the provider "
                "answers; the start page shows it under Health."
            ),
        ),
        # Data: attempts.
        "retrieval.impact_worker_lost": (
            409,
            (
                "The worker stopped {attempts} times on this preview, most likely because it ran out of memory. Ask "
                "an administrator to check the worker's log."
            ),
        ),
        # Data: kind (the exception's class).
        "retrieval.impact_crashed": (
            500,
            "It failed for an unexpected reason ({kind}); the worker's log has the details.",
        ),
    }
