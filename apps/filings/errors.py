"""Errors of the filings room."""

from __future__ import annotations

from apps.errors import ApplicationError


class UnknownConceptError(ApplicationError):
    code = "filings.unknown_concept"
    status = 400
    message = "The vocabulary has no concept {concept}. List the facts of a document to see the concepts that it has."


class EntityNotFoundError(ApplicationError):
    code = "filings.entity_not_found"
    status = 404
    message = "No document in force in your scopes names this entity. Search for it at /api/v1/entities/."
