"""Run an evaluation from beginning to end: ask and judge every question, run the variants, and keep the figures."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from apps.corpus.providers.tenant import tenant_provider
from apps.intents.contracts import PolicySnapshot
from apps.intents.selectors import policy_in_force
from apps.quality.evaluation import figures
from apps.quality.evaluation.ablation import Variant, variants
from apps.quality.evaluation.asking import Asking, KeptVectors, check_generator
from apps.quality.evaluation.contracts import EvaluationQuestion, Watcher
from apps.quality.evaluation.figures import Judged, Metrics
from apps.quality.evaluation.judging import judge
from apps.quality.evaluation.runs import (
    RunFacts,
    RunFigures,
    answer_keep,
    run_finish,
    run_seen,
    run_start,
    run_stop,
)
from apps.quality.evaluation.tenant import REASON
from apps.quality.models import EvaluationRun
from apps.retrieval.changed_settings import RunSettings, Value
from apps.retrieval.generation.profiles import GENERATION_PROFILES
from apps.tenants.context import open_scope
from apps.tenants.ids import TenantId
from apps.tenants.selectors.tenants import current_tenant


@dataclass(frozen=True, slots=True, kw_only=True)
class Corpus:
    """The corpus that is searched: counts, a fingerprint, and the documents' names by key."""

    dataset: str
    documents: int
    chunks: int
    sha256: str
    names: Mapping[str, str]
    failed_documents: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """A finished run with everything that was observed of its questions."""

    run: EvaluationRun
    judged: tuple[Judged, ...]


def evaluate(
    questions: Sequence[EvaluationQuestion],
    *,
    tenant_id: TenantId,
    corpus: Corpus,
    changes: Mapping[str, Value],
    ablate: bool,
    watcher: Watcher,
    policy: PolicySnapshot | None = None,
    generation_profile: str = "",
) -> Outcome:
    """Ask every question once; if `ablate` is true, once more for each variant.

    Args:    policy: the policy to ask under; None for the one in force.
             changes: settings by name that differ from the shipped ones in this run.
             generation_profile: what writes the answers; empty for the tenant's own.
    Raises:  UnknownSettingError, InvalidSettingError, UnknownGenerationProfileError, GenerationResidencyError.
             EvaluationError: the run is then kept as stopped.
    """
    with open_scope(tenant=tenant_id, reason=REASON):
        snapshot = policy or policy_in_force()
        settings = RunSettings(policy=snapshot.retrieval).with_changes(changes)
        tenant = current_tenant()
        profile = generation_profile or tenant.generation_profile
        check_generator(tenant, profile)
        asking = Asking(
            tenant_id=tenant_id,
            snapshot=snapshot,
            settings=settings,
            kept=KeptVectors(),
            generation_profile=profile,
        )
        named = {"generation_profile": generation_profile} if generation_profile else {}
        facts = _facts(profile, corpus, snapshot, settings, {**changes, **named})
    asking.warm_up()
    with open_scope(tenant=tenant_id, reason=REASON):
        run = run_start(facts, questions, corpus.names)
    try:
        return _Run(run, questions, asking, corpus.names, watcher).through(ablate=ablate)
    except BaseException as error:
        with open_scope(tenant=tenant_id, reason=REASON):
            run_stop(run, code=getattr(error, "code", type(error).__name__))
        raise


class _Run:
    def __init__(
        self,
        run: EvaluationRun,
        questions: Sequence[EvaluationQuestion],
        asking: Asking,
        names: Mapping[str, str],
        watcher: Watcher,
    ) -> None:
        self._run, self._questions, self._asking = run, questions, asking
        self._names, self._watcher = names, watcher

    def through(self, *, ablate: bool) -> Outcome:
        judged = self._asked()
        ablations = self._ablations() if ablate else {}
        with open_scope(tenant=self._asking.tenant_id, reason=REASON):
            run_finish(
                self._run,
                RunFigures(
                    metrics=figures.metrics_of(judged),
                    latency_ms=figures.latency_of([each.seen for each in judged]),
                    by_stage=figures.by_stage(judged),
                    by_type=figures.by_type(judged),
                    ablations=ablations,
                ),
            )
        return Outcome(run=self._run, judged=tuple(judged))

    def _asked(self) -> list[Judged]:
        self._watcher.begin("Asking", len(self._questions))
        judged: list[Judged] = []
        for position, question in enumerate(self._questions, start=1):
            each = self._judged(question, None)
            with open_scope(tenant=self._asking.tenant_id, reason=REASON):
                answer_keep(self._run, position, each, self._names)
            judged.append(each)
            self._watcher.progress(position, f"{position} of {len(self._questions)} questions")
        return judged

    def _ablations(self) -> dict[str, Metrics]:
        self._asking.kept.serving = True
        chosen = variants(self._asking.settings, with_model=self._asking.with_model)
        self._watcher.begin("Variants", len(chosen) * len(self._questions))
        return {variant.name: self._variant(variant, number) for number, variant in enumerate(chosen)}

    def _variant(self, variant: Variant, number: int) -> Metrics:
        return figures.metrics_of(list(self._watched(variant, number * len(self._questions))))

    def _watched(self, variant: Variant, before: int) -> Iterable[Judged]:
        for done, question in enumerate(self._questions, start=before + 1):
            yield self._judged(question, variant)
            self._watcher.progress(done, variant.name)
        with open_scope(tenant=self._asking.tenant_id, scopes=[], reason=REASON):
            run_seen(self._run.id)

    def _judged(self, question: EvaluationQuestion, variant: Variant | None) -> Judged:
        seen = self._asking.ask(question, variant)
        return Judged(question=question, seen=seen, judgement=judge(question, seen))


def _facts(
    generation_profile: str,
    corpus: Corpus,
    snapshot: PolicySnapshot,
    settings: RunSettings,
    changes: Mapping[str, Value],
) -> RunFacts:
    provider = tenant_provider()
    return RunFacts(
        dataset=corpus.dataset,
        settings=settings.as_json(),
        changes=changes,
        models_used={
            "embedding": {"profile": provider.name, "model": provider.model, "dimension": provider.dimension},
            "generation": {
                "profile": generation_profile,
                "model": GENERATION_PROFILES.named(generation_profile).model,
            },
        },
        policy=snapshot,
        corpus_sha256=corpus.sha256,
        documents=corpus.documents,
        chunks=corpus.chunks,
        failed_documents=corpus.failed_documents,
    )
