"""Classify what the retrieval app keeps in a process's memory. It has no table.

See apps/erasure/personal_data/classification.py.
"""

from __future__ import annotations

from apps.erasure.declarations.classified import Sort
from apps.erasure.registry import classify


def classify_retrieval() -> None:
    classify(
        "memory:apps.retrieval.stages.question.mentions",
        Sort.DERIVED,
        because="Patterns made of names of companies and of words of questions.",
        stays="In the memory of a process: gone when it ends, which the physical phase sees to.",
    )
    classify(
        "memory:apps.retrieval.stages.figures.lines",
        Sort.NONE,
        because="The labels of statement lines that come with it.",
    )
    classify(
        "memory:apps.retrieval.stages.question.jurisdiction_names",
        Sort.DERIVED,
        because="Codes of countries for what documents state as their jurisdiction.",
        stays="In the memory of a process: gone when it ends, which the physical phase sees to.",
    )
    classify("memory:apps.retrieval.api.problem_types", Sort.NONE, because="The codes that the API answers with.")
    classify("memory:apps.retrieval.api.changelog", Sort.NONE, because="A file of the release's own.")
