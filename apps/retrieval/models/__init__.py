from apps.retrieval.models.evaluation import EvaluationQuery
from apps.retrieval.models.impact import ImpactState, PolicyImpact

__all__ = ["EvaluationQuery", "ImpactState", "PolicyImpact"]
