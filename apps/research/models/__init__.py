from apps.research.models.run import ENDED, ResearchRun, RunMode, RunState
from apps.research.models.step import ResearchStep, StepKind

__all__ = ["ENDED", "ResearchRun", "ResearchStep", "RunMode", "RunState", "StepKind"]
