"""Documents and jobs in the admin."""

from apps.corpus.admin import document, job

__all__ = ["document", "job"]
