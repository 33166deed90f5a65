"""One question over HTTP, and what is kept of its answer."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from apps.demo.questions import DemoQuestion
from apps.demo.tenants import DemoTenant
from apps.demo.tour.client import DemoClient, Json


@dataclass(frozen=True, slots=True, kw_only=True)
class AskedQuestion:
    """A question of the tour with the API's whole answer, trace included, and the event that it left."""

    firm: DemoTenant
    question: DemoQuestion
    body: Json
    event: Json

    @property
    def shown(self) -> str:
        """Everything that the client was given except its own question: where a leak would show."""
        return json.dumps({name: value for name, value in self.body.items() if name != "question"}, ensure_ascii=False)

    @property
    def told(self) -> str:
        """The answer and its quotes."""
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
