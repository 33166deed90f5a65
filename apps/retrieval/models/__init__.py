from apps.retrieval.models.kept import KeptAnswer
from apps.retrieval.models.sent import SentQuestion, SentState

__all__ = ["KeptAnswer", "SentQuestion", "SentState"]
