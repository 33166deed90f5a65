"""What the Research page takes: a question, its scopes, how far to go, and whether to see the plan first."""

from __future__ import annotations

from typing import Any, Final

from django import forms

from apps.research.models import RunMode
from apps.research.runs.limits import BUDGETS
from apps.retrieval.admin.ask_form import AskForm

_BY_PLAN: Final = ("", "As the plan suggests")


class ResearchForm(AskForm):
    """The question and its scopes, as on the Ask page."""

    mode = forms.ChoiceField(required=False, choices=[_BY_PLAN, *RunMode.choices])
    confirm_plan = forms.BooleanField(required=False)

    def mode_choices(self) -> list[dict[str, Any]]:
        """Return the modes with what each may use."""
        chosen = self.data.get("mode", "") if self.is_bound else ""
        return [
            {"value": "", "label": _BY_PLAN[1], "budget": "", "chosen": not chosen},
            *(
                {
                    "value": mode.value,
                    "label": mode.label,
                    "budget": f"{BUDGETS[mode].rounds} rounds, {BUDGETS[mode].searches} questions at most",
                    "chosen": chosen == mode.value,
                }
                for mode in RunMode
            ),
        ]
