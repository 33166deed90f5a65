from apps.filings.models.fact import Fact

__all__ = ["Fact"]
