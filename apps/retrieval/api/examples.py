"""An answer as it looks, for the OpenAPI document. The test suite validates it against the answer's own schema."""

from __future__ import annotations

from typing import Any

ANSWER: dict[str, Any] = {
    "question": "What was the drawdown in Q4 2024?",
    "answer": "The maximum drawdown of the Alpha Fund in the fourth quarter was 12.5 %. [alpha-q4-2024-1f3c|p3|c7]",
    "refused": False,
    "refusal": None,
    "grounding": "grounded",
    "repair": "none",
    "citations": [
        {
            "ref_id": "alpha-q4-2024-1f3c|p3|c7",
            "document": {
                "id": "01a1f2c4-6f0b-7c3d-9a51-3d2b8f6e4a10",
                "title": "Alpha Fund, fourth quarter 2024",
                "version": 1,
                "kind": "run",
            },
            "page": 3,
            "section": "Performance",
            "quote": "The maximum drawdown of the Alpha Fund in the fourth quarter was 12.5 %.",
            "columns": "",
            "char_start": 412,
            "char_end": 484,
        }
    ],
    "intent": {
        "name": "performance",
        "label": "Performance",
        "recognised": True,
        "reason": "Matched terms: drawdown; nearest example: What was the fund's maximum drawdown in the quarter?",
        "score": 0.91,
        "margin": 0.43,
    },
    "kinds": {
        "permitted": ["fund_profile", "run", "dataset_summary"],
        "withheld": [
            "org_profile",
            "compliance_profile",
            "methodology",
            "style_sample",
            "report_edit_pattern",
            "schedule",
            "reference_report",
        ],
    },
    "policy_version": 1,
    "generator": "extractive",
    "model": "",
    "degraded": [],
    "notices": [],
    "audit_event_id": "01a1f2c9-02aa-7d10-8a3e-5b0c7e9d1f22",
    "elapsed_ms": 38.4,
}
