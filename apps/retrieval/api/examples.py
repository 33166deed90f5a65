"""Answers as they look, for the OpenAPI document. The test suite validates them against their own schemas."""

from __future__ import annotations

from typing import Any

ANSWER: dict[str, Any] = {
    "question": "What was the drawdown in Q4 2024?",
    "asked_as": None,
    "answer": "The maximum drawdown of the Alpha Fund in the fourth quarter was 12.5 %. [alpha-q4-2024-1f3c|p3|c7]",
    "outcome": "answered",
    "refused": False,
    "refusal": None,
    "grounding": "grounded",
    "relevance": {"status": "full", "kind": "number", "missing": []},
    "repair": "none",
    "citations": [
        {
            "ref_id": "alpha-q4-2024-1f3c|p3|c7",
            "chunk_id": "01a1f2c4-7b1e-7d22-8c40-5e1f9a7b3c21",
            "url": "/api/v1/documents/01a1f2c4-6f0b-7c3d-9a51-3d2b8f6e4a10/pages/3/",
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
            "row": None,
            "record": None,
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
    "filters": [
        {
            "field": "period",
            "values": ["Q4 2024"],
            "certainty": "sure",
            "reason": "The question names Q4 2024.",
        }
    ],
    "profile": [],
    "disclaimers": [{"key": "past_performance", "text": "Past performance does not predict future returns."}],
    "policy_version": 1,
    "generator": "extractive",
    "model": "",
    "degraded": [],
    "notices": [],
    "audit_event_id": "01a1f2c9-02aa-7d10-8a3e-5b0c7e9d1f22",
    "elapsed_ms": 38.4,
}
SEARCHED: dict[str, Any] = {
    "question": ANSWER["question"],
    "refused": False,
    "refusal": None,
    "passages": [
        {
            "ref_id": "alpha-q4-2024-1f3c|p3|c7",
            "chunk_id": "01a1f2c4-7b1e-7d22-8c40-5e1f9a7b3c21",
            "url": "/api/v1/documents/01a1f2c4-6f0b-7c3d-9a51-3d2b8f6e4a10/pages/3/",
            "document": ANSWER["citations"][0]["document"],
            "page": 3,
            "section": "Performance",
            "text": "The maximum drawdown of the Alpha Fund in the fourth quarter was 12.5 %. It recovered soon.",
            "char_start": 412,
            "char_end": 503,
            "in_context": True,
            "around": None,
            "scores": {
                "rankings": [
                    {"ranking": "dense", "rank": 1, "cosine_similarity": 0.81, "bm25_score": None},
                    {"ranking": "sparse", "rank": 1, "cosine_similarity": None, "bm25_score": 7.42},
                ],
                "rrf_score": 0.0328,
                "boost": 0.0,
                "rerank_score": None,
            },
        }
    ],
    **{
        name: ANSWER[name]
        for name in ("intent", "kinds", "filters", "profile", "policy_version", "degraded", "notices")
    },
    "audit_event_id": "01a1f2c9-1c4e-7a30-9f12-7d3c2b1a0e44",
    "elapsed_ms": 21.7,
}
