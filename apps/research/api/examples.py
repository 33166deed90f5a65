"""An answer as it looks, for the OpenAPI document."""

from __future__ import annotations

from typing import Any, Final

CHECKED: Final[dict[str, Any]] = {
    "verdicts": {"contradicted": 1},
    "findings": [
        {
            "claim": {
                "sort": "metric",
                "start": 0,
                "end": 64,
                "text": "Velden Cranes reported revenue of $4,971 million in fiscal 2024.",
                "number_start": 34,
                "number_end": 48,
                "company": "Velden Cranes plc",
                "compared_with": "",
                "concept": "revenue",
                "measure": "revenue",
                "part": "",
                "period": "FY2024",
                "base_period": "",
            },
            "verdict": "contradicted",
            "reason": "The figure of FY2024 is another.",
            "expression": "FY2024: USD 4,471 million",
            "facts": [
                {
                    "company": "Velden Cranes plc",
                    "concept": "revenue",
                    "row": "Revenue",
                    "column": "2024",
                    "period": "FY2024",
                    "value": "4471000000",
                    "printed": "4,471",
                    "quote": "Revenue | 4,471 | 4,655",
                    "document": {
                        "id": "01a1f2c4-6f0b-7c3d-9a51-3d2b8f6e4a10",
                        "title": "Velden annual report 2024",
                    },
                    "page": 1,
                    "url": "/api/v1/documents/01a1f2c4-6f0b-7c3d-9a51-3d2b8f6e4a10/pages/1/",
                }
            ],
            "passages": [],
            "searched": {
                "companies": ["Velden Cranes plc"],
                "concepts": ["revenue"],
                "periods": ["FY2023", "FY2024"],
                "facts": 2,
                "passages": 0,
            },
            "correct": "$4,471 million",
            "suggestion": "Velden Cranes reported revenue of $4,471 million in fiscal 2024.",
            "intent": "narrative",
        }
    ],
    "intents": [
        {
            "name": "narrative",
            "label": "Narrative",
            "permitted": ["style_sample", "report_edit_pattern", "reference_report"],
            "withheld": ["org_profile", "run"],
        }
    ],
    "policy_version": 3,
    "tolerance": "0.005",
    "audit_event_id": "01a1f2c5-0c1d-7e44-b6a2-91c7d0e5f812",
}
