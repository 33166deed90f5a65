"""The addresses of the doors for programs that speak another API than ours."""

from __future__ import annotations

from django.urls import path, re_path

from apps.research.doors.mcp.view import McpView
from apps.research.doors.openai.views import ChatCompletionsView, ModelsView, ModelView, ResponsesView
from apps.tenants.api.not_found import UnknownAddressView

# As the OpenAI API has them: without a slash at the end.
urlpatterns = [
    path("mcp", McpView.as_view()),
    path("v1/chat/completions", ChatCompletionsView.as_view()),
    path("v1/responses", ResponsesView.as_view()),
    path("v1/models", ModelsView.as_view()),
    path("v1/models/<path:model>", ModelView.as_view()),
    re_path(r"^v1/", UnknownAddressView.as_view()),
]
