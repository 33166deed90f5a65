"""The kinds of the shipped fund house, for what ships with them: the demonstration, and wordings in other languages.

tests/intents/test_defaults.py holds that they are those of packs/fund_house.py.
"""

from __future__ import annotations

from typing import Final

from apps.corpus.kinds import Kind


class FundHouse:
    """The kinds by name."""

    ORG_PROFILE: Final = Kind("org_profile", "Firm profiles")
    COMPLIANCE_PROFILE: Final = Kind("compliance_profile", "Compliance profiles")
    METHODOLOGY: Final = Kind("methodology", "Methodology")
    FUND_PROFILE: Final = Kind("fund_profile", "Fund profiles")
    STYLE_SAMPLE: Final = Kind("style_sample", "House style samples")
    RUN: Final = Kind("run", "Past runs")
    REPORT_EDIT_PATTERN: Final = Kind("report_edit_pattern", "Report edit patterns")
    DATASET_SUMMARY: Final = Kind("dataset_summary", "Dataset summaries")
    SCHEDULE: Final = Kind("schedule", "Schedules")
    REFERENCE_REPORT: Final = Kind("reference_report", "Reference reports")


FUND_HOUSE: Final = tuple(each for each in vars(FundHouse).values() if isinstance(each, Kind))
