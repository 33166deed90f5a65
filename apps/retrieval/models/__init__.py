from apps.retrieval.models.kept import KeptAnswer

__all__ = ["KeptAnswer"]
