from apps.retrieval.models.evaluation import EvaluationQuery
from apps.retrieval.models.evaluation_run import EvaluationAnswer, EvaluationRun, RunState
from apps.retrieval.models.impact import ImpactState, PolicyImpact

__all__ = ["EvaluationAnswer", "EvaluationQuery", "EvaluationRun", "ImpactState", "PolicyImpact", "RunState"]
