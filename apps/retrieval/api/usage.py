"""What requests to models took and cost, for a program."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, date, datetime, timedelta
from typing import Any, ClassVar, Final

from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from apps.audit.reporting.contracts import Period, Step
from apps.retrieval.usage.contracts import Figures, Sort, Usage
from apps.retrieval.usage.counting import LIMIT, LONGEST_DAYS, model_usage
from apps.tenants.api.examples import sample
from apps.tenants.api.serializers import StrictSerializer
from apps.tenants.api.views import ApiView
from apps.tenants.roles import Permission

_DEFAULT_DAYS: Final = 30
_USAGE: Final = """\
curl "{base}/api/v1/usage/models/?from=2026-11-01&to=2026-11-30" \\
  -H "Authorization: Bearer $GLASSBOX_KEY\""""


class UsagePeriodSerializer(StrictSerializer):
    """Has a parameter `from`, which Python keeps for itself."""

    to = serializers.DateField(required=False, help_text="The last day, in UTC; today if absent.")

    def get_fields(self) -> dict[str, Any]:
        first = serializers.DateField(
            required=False, help_text="The first day, in UTC; 29 days before the last one if absent."
        )
        return {"from": first, **super().get_fields()}

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        last: date = attrs.get("to") or datetime.now(UTC).date()
        if last.toordinal() <= _DEFAULT_DAYS:
            raise serializers.ValidationError({"to": "This day is too early."})
        first: date = attrs.get("from") or last - timedelta(days=_DEFAULT_DAYS - 1)
        if last < first:
            raise serializers.ValidationError({"from": "The period ends before it begins. Swap the two dates."})
        if (last - first).days >= LONGEST_DAYS:
            raise serializers.ValidationError({"from": f"At most {LONGEST_DAYS} days are counted at once."})
        return {"from": first, "to": last}


class CostSerializer(serializers.Serializer[Any]):
    currency = serializers.CharField()
    amount = serializers.CharField(help_text="A decimal number.")


class FiguresSerializer(serializers.Serializer[Any]):
    requests = serializers.IntegerField()
    failed = serializers.IntegerField(help_text="Ended with an error, those of an unknown end included.")
    unknown_ends = serializers.IntegerField(help_text="Nobody could record how they ended.")
    repeated = serializers.IntegerField(help_text="Not the first request to their model for their question.")
    input_tokens = serializers.IntegerField()
    output_tokens = serializers.IntegerField()
    unstated = serializers.IntegerField(help_text="Requests whose tokens the server did not state.")
    unpriced = serializers.IntegerField(help_text="Requests for which no price was set. Their cost is not 0.")
    mean_first_byte_ms = serializers.FloatField(allow_null=True, help_text="null if no reply began.")
    costs = CostSerializer(many=True, help_text="Of the requests with a price and a count of tokens, by currency.")


class UsageLineSerializer(FiguresSerializer):
    day = serializers.DateField()
    intent = serializers.CharField(
        allow_null=True,
        help_text="Of the question; `unrecognised` if no intent fitted. null: no question was answered by the request.",
    )
    of_documents = serializers.BooleanField(
        help_text="Whether the requests made the vectors of documents' passages, so that the documents are found."
    )
    profile = serializers.CharField(help_text="The provider, as the installation names it.")
    model = serializers.CharField()


class UsageSerializer(serializers.Serializer[Any]):
    """Has a field of the name `from`."""

    to = serializers.DateField()
    requests = serializers.IntegerField(help_text="How many requests ended in the period, within your scopes.")
    examined = serializers.IntegerField(help_text="How many of them the figures cover: the newest.")
    damaged = serializers.IntegerField(help_text="Records that are not what was recorded. They are not counted.")
    total = FiguresSerializer()
    lines = UsageLineSerializer(many=True, help_text="By day, intent and model, the newest day first.")

    def get_fields(self) -> dict[str, Any]:
        return {"from": serializers.DateField(), **super().get_fields()}


class ModelUsageView(ApiView):
    required_permissions: ClassVar[Mapping[str, Permission | None]] = {"GET": Permission.AUDIT_VIEW}
    parameters: ClassVar[Mapping[str, type[StrictSerializer]]] = {"GET": UsagePeriodSerializer}

    @extend_schema(
        operation_id="get_model_usage",
        tags=["Audit"],
        summary="What requests to models took and cost",
        description=(
            "Counts the requests to models that questions, documents and work on the policy made, by day, intent and "
            "model, from the log and over your scopes. Each cost is by the price that was set when the request ended, "
            "and never changes afterwards. A model within the installation's own processes takes no request. At most "
            f"{LIMIT:,} requests are examined, the newest; `examined` says how many."
        ),
        parameters=[UsagePeriodSerializer],
        responses=UsageSerializer,
        extensions=sample(_USAGE),
    )
    def get(self, request: Request) -> Response:
        asked = self.asked()
        period = Period(first=asked["from"], last=asked["to"], step=Step.DAY, until=timezone.now())
        return Response(usage_json(model_usage(period)))


def usage_json(usage: Usage) -> dict[str, Any]:
    return {
        "from": usage.period.first.isoformat(),
        "to": usage.period.last.isoformat(),
        "requests": usage.looked.total,
        "examined": usage.looked.looked_at,
        "damaged": usage.looked.damaged,
        "total": _figures(usage.total),
        "lines": [{**_sort(sort), **_figures(figures)} for sort, figures in usage.lines],
    }


def _sort(sort: Sort) -> dict[str, Any]:
    return {
        "day": sort.day.isoformat(),
        "intent": sort.intent or None,
        "of_documents": sort.of_documents,
        "profile": sort.profile,
        "model": sort.model,
    }


def _figures(figures: Figures) -> dict[str, Any]:
    return {
        "requests": figures.requests,
        "failed": figures.failed,
        "unknown_ends": figures.unknown_ends,
        "repeated": figures.repeated,
        "input_tokens": figures.input_tokens,
        "output_tokens": figures.output_tokens,
        "unstated": figures.unstated,
        "unpriced": figures.unpriced,
        "mean_first_byte_ms": figures.mean_first_byte_ms,
        "costs": [{"currency": name, "amount": f"{cost:f}"} for name, cost in sorted(figures.costs.items())],
    }
