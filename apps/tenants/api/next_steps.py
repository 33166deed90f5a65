"""What a client may do next with something that two people decide on: the field `next_steps` of its answers.

It comes from the same table of steps as the buttons of the pages (apps/tenants/flows), so a client shows what it may do
without knowing the rules. A room names the operation that takes each step.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Final

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from apps.tenants.api.serializers import choices_of
from apps.tenants.context import current_scope
from apps.tenants.flows.table import By, Step
from apps.tenants.principals import Principal

Offers = Callable[[Any, Principal], Mapping[str, Step]]


class Requirement(StrEnum):
    PERSON = "person"
    AUTHOR = "author"
    SECOND_PERSON = "second_person"
    SECOND_FACTOR = "second_factor"
    REASON = "reason"


_OF_WHOM: Final = {
    By.PERSON: (Requirement.PERSON,),
    By.AUTHOR: (Requirement.PERSON, Requirement.AUTHOR),
    By.SECOND: (Requirement.PERSON, Requirement.SECOND_PERSON),
}


@dataclass(frozen=True, slots=True)
class Operation:
    """path: after the address of the thing. fields: what its body must hold."""

    path: str
    fields: tuple[str, ...] = ()
    method: str = "POST"


# Of each step, by the way in which it is taken; None where the API has none.
Operations = Callable[[Step], Operation | None]


class NextStepSerializer(serializers.Serializer[Any]):
    name = serializers.CharField(help_text="Stable: choose the step by its name.")
    to = serializers.CharField(help_text="The state that it leads to.")
    method = serializers.ChoiceField(
        choices=["POST", "DELETE"], allow_null=True, help_text="null where only the pages can take it, as is `url`."
    )
    url = serializers.CharField(allow_null=True, help_text="The path of the operation that takes it.")
    requires = serializers.ListField(
        child=serializers.ChoiceField(choices=choices_of(Requirement)),
        help_text=(
            "`person`: a person, signed in or by a key that acts for them. `author`: whoever asked for it. "
            "`second_person`: somebody else than whoever asked for it. `second_factor`: enter a code of your second "
            "factor first, or the answer is 403. `reason`: say why."
        ),
    )
    body_fields = serializers.ListField(
        child=serializers.CharField(), help_text="The fields that its body must have; the operation describes them."
    )


@extend_schema_field(NextStepSerializer(many=True))
class NextStepsField(serializers.Field[Any, Any, Any, Any]):
    """The steps that whoever asks may take now. No query.

    Args: offers: the steps of a row, for a principal. operations: see Operations. address: of a row, with its {id}.
    """

    def __init__(self, *, offers: Offers, operations: Operations, address: str) -> None:
        super().__init__(
            source="*",
            read_only=True,
            help_text="The steps that you may take now, each with the operation that takes it.",
        )
        self.offers, self.operations, self.address_of = offers, operations, address

    def to_representation(self, value: Any) -> list[dict[str, Any]]:
        principal = current_scope().principal
        return [
            _shown(name, step, self.operations(step), self.address_of.format(id=value.id), principal)
            for name, step in self.offers(value, principal).items()
        ]


def _shown(name: str, step: Step, operation: Operation | None, address: str, principal: Principal) -> dict[str, Any]:
    requires = list(_OF_WHOM.get(step.by, (Requirement.PERSON,) if step.signed else ()))
    if step.by is By.SECOND and not principal.may_decide:
        requires.append(Requirement.SECOND_FACTOR)
    if step.reason:
        requires.append(Requirement.REASON)
    return {
        "name": name,
        "to": str(step.after),
        "method": operation.method if operation else None,
        "url": address + operation.path if operation else None,
        "requires": [each.value for each in requires],
        "body_fields": list(operation.fields) if operation else [],
    }
