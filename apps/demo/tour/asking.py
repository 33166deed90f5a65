"""Ask one question over HTTP, and keep its answer."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from apps.demo.questions import DemoQuestion
from apps.demo.tenants import DemoTenant
from apps.demo.tour.client import DemoClient, Json


@dataclass(frozen=True, slots=True, kw_only=True)
class AskedQuestion:
    """A question of the tour, with the API's whole response including the trace, and the event that it recorded."""

    firm: DemoTenant
    question: DemoQuestion
    body: Json
    event: Json

    @property
    def shown(self) -> str:
        """Return everything that the client received except its own question: a leak would be in here."""
        return json.dumps({name: value for name, value in self.body.items() if name != "question"}, ensure_ascii=False)

    @property
    def told(self) -> str:
        """Return the answer and its quotes."""
        return "\n".join([self.body["answer"], *(citation["quote"] for citation in self.body["citations"])])

    def as_json(self) -> dict[str, Any]:
        body = self.body
        return {
            "text": self.question.text,
            "tenant": self.firm.slug,
            "intent": body["intent"]["name"],
            "kinds": body["kinds"]["permitted"],
            "policy_version": body["policy_version"],
            "answer": body["answer"],
            "citations": [
                {
                    "ref_id": citation["ref_id"],
                    "document": citation["document"]["title"],
                    "page": citation["page"],
                    "quote": citation["quote"],
                }
                for citation in body["citations"]
            ],
            "refused": body["refused"],
            "degraded": bool(body["degraded"]),
            "audit_event_id": body["audit_event_id"],
            "elapsed_ms": body["elapsed_ms"],
        }


def ask_question(firm: DemoTenant, question: DemoQuestion, *, client: DemoClient, auditor: DemoClient) -> AskedQuestion:
    body = client.ask(question.text)
    return AskedQuestion(firm=firm, question=question, body=body, event=auditor.event(body["audit_event_id"]))
