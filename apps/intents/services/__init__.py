from apps.intents.services.baseline import baseline_install
from apps.intents.services.classify import classify
from apps.intents.services.golden import golden_vectors

__all__ = ["baseline_install", "classify", "golden_vectors"]
