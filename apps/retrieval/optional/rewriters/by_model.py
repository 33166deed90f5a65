"""Let the tenant's model write what else to search for."""

from __future__ import annotations

import json

from apps.retrieval.contracts import QueryAnalysis, Rewriting
from apps.retrieval.errors import MalformedWordingsError
from apps.retrieval.generation.protocol import Completing
from apps.retrieval.optional.rewriters.recipes import Recipe
from apps.retrieval.optional.rewriters.wordings import read_wordings
from apps.retrieval.stage_settings import StageSettings


class ModelRewriter:
    """A rewriter that sends one request per question, by one recipe.

    A reply that cannot be used is not sent back; the question is then searched alone.

    Args: model: the tenant's, bound to its residency; None if there is none.
    """

    def __init__(self, recipe: Recipe, model: Completing | None, settings: StageSettings) -> None:
        self._recipe, self._model = recipe, model
        self._timeout_seconds = settings.model_wording_timeout_seconds

    @property
    def name(self) -> str:
        return self._recipe.name

    def rewrite(self, analysis: QueryAnalysis) -> Rewriting | None:
        """See `Rewriter.rewrite`. Only the question is sent, without the parts removed from it as instructions."""
        if self._model is None:
            return None
        recipe = self._recipe
        content = self._model.complete(
            instructions=recipe.instructions,
            data=json.dumps({"question": analysis.search_text}, ensure_ascii=False),
            timeout_seconds=self._timeout_seconds,
        )
        if content is None:
            return None
        read = read_wordings(
            content,
            most=recipe.most,
            longest_chars=recipe.longest_chars,
            language=analysis.language,
            apart_from=(analysis.search_text,),
        )
        if isinstance(read, str):
            raise MalformedWordingsError(model=self._model.model, problem=read)
        if not read.texts and (read.left_out or not recipe.may_be_empty):
            raise MalformedWordingsError(model=self._model.model, problem="none of its texts can be used")
        return Rewriting(
            texts=read.texts,
            model=self._model.model,
            region=self._model.region,
            left_out=read.left_out,
            meaning_only=recipe.meaning_only,
        )
