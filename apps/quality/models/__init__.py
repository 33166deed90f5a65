from apps.quality.models.evaluation import EvaluationAnswer, EvaluationQuery, EvaluationRun, RunState
from apps.quality.models.impact import ImpactState, PolicyImpact

__all__ = ["EvaluationAnswer", "EvaluationQuery", "EvaluationRun", "ImpactState", "PolicyImpact", "RunState"]
