"""What the Research page takes: a question, its scopes, how far to go, and whether to see the plan first."""

from __future__ import annotations

from typing import Any, Final

from django import forms

from apps.intents.contracts import FALLBACK_NAME, PolicySnapshot
from apps.intents.profile.means import rules_against
from apps.research.models import RunMode
from apps.research.runs.limits import BUDGETS
from apps.retrieval.admin.ask_form import AskForm

_BY_PLAN: Final = ("", "As the plan suggests")


class ResearchForm(AskForm):
    """The question and its scopes, as on the Ask page. policy: the one in force, whose profile bounds the modes."""

    mode = forms.ChoiceField(required=False, choices=[_BY_PLAN, *RunMode.choices])
    confirm_plan = forms.BooleanField(required=False)
    policy: PolicySnapshot | None = None

    def mode_choices(self) -> list[dict[str, Any]]:
        """Return the modes that the policy permits for some intent: what each may use, and for whom it is not."""
        chosen = self.data.get("mode", "") if self.is_bound else ""
        return [
            {"value": "", "label": _BY_PLAN[1], "budget": "", "refused": "", "chosen": not chosen},
            *(
                {
                    "value": mode.value,
                    "label": mode.label,
                    "budget": f"{BUDGETS[mode].rounds} rounds, {BUDGETS[mode].searches} questions at most",
                    "refused": ", ".join(self._refused(mode)),
                    "chosen": chosen == mode.value,
                }
                for mode in RunMode
                if not self._is_for_nobody(mode)
            ),
        ]

    def modes_left_out(self) -> str:
        """Return the modes that the policy permits for no intent at all."""
        return ", ".join(str(mode.label) for mode in RunMode if self._is_for_nobody(mode))

    def _is_for_nobody(self, mode: RunMode) -> bool:
        return self.policy is not None and len(self._refused(mode)) == len(self.policy.reaches)

    def _refused(self, mode: RunMode) -> list[str]:
        """Return the labels of the intents for whose questions the policy does not permit a mode."""
        if self.policy is None:
            return []
        named = [(rule.name, rule.label) for rule in self.policy.intents]
        reached = [*named, (FALLBACK_NAME, self.policy.fallback.label)]
        return [label for name, label in reached if rules_against(self.policy.profile, name, mode)]
