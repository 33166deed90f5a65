"""What the database keeps of what is known from documents."""

from apps.filings.models.fact import Fact
from apps.filings.models.graph import EntityMention, Relation

__all__ = ["EntityMention", "Fact", "Relation"]
