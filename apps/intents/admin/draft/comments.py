"""What reviewers said of a draft: shown in the list of drafts and above the editor."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from uuid import UUID

from apps.intents.models import PolicyVersion, ReviewComment


def last_words(drafts: Sequence[PolicyVersion]) -> Mapping[UUID, ReviewComment]:
    """The last that somebody else than its author said of each draft. One query."""
    authors = {draft.id: draft.author_id for draft in drafts}
    comments = ReviewComment.objects.filter(version_id__in=list(authors)).exclude(text="").order_by("created_at", "id")
    return {each.version_id: each for each in comments if each.author_id != authors[each.version_id]}
