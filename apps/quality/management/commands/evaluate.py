"""`manage.py evaluate`: an evaluation folder, or a tenant's own questions, through the real pipeline, in figures.

With --checking, only the check of answers is measured, on a folder of replies (evaluation/checking.py).
"""

from __future__ import annotations

import json
import sys
from argparse import RawDescriptionHelpFormatter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, cast
from uuid import UUID

from django.core.management.base import CommandError, CommandParser
from rich.console import Console

from apps.corpus.providers.profiles import EMBEDDING_PROFILES
from apps.errors import ApplicationError
from apps.intents.contracts import PolicySnapshot
from apps.quality.errors import EvaluationError
from apps.quality.evaluation.asking import check_generator
from apps.quality.evaluation.checking import check_cases, figures_of
from apps.quality.evaluation.checking_cases import SETS, read_cases
from apps.quality.evaluation.comparing import Comparison, compare, finished_run
from apps.quality.evaluation.contracts import EvaluationQuestion
from apps.quality.evaluation.folder import read_folder
from apps.quality.evaluation.folder_contents import Failure
from apps.quality.evaluation.loading import load
from apps.quality.evaluation.packs import policy_words
from apps.quality.evaluation.questions import chosen, folder_questions, own_corpus, own_questions
from apps.quality.evaluation.reporting import run_json
from apps.quality.evaluation.runner import Corpus, Outcome, evaluate
from apps.quality.evaluation.tenant import REASON, dataset_scope, evaluation_tenant, give_access, policy_for
from apps.quality.management.checking_console import checking_json, print_checking, print_unwanted
from apps.quality.management.evaluation_console import ConsoleWatcher, print_comparison, print_run
from apps.retrieval.changed_settings import RunSettings, Value, read_changes
from apps.retrieval.generation.profiles import GENERATION_PROFILES
from apps.retrieval.stage_choice import changed_stages
from apps.tenants.context import open_scope
from apps.tenants.ids import TenantId
from apps.tenants.management.served import ServedCommand
from apps.tenants.models import Tenant, User
from apps.tenants.selectors.people import user_by_name
from apps.tenants.selectors.tenants import tenant_by_slug

_EXAMPLES = """
examples:
  manage.py evaluate evaluation/filings --json
  manage.py evaluate evaluation/filings --ablate --member alice
  manage.py evaluate evaluation/filings --limit 20 --set sparse_top_k=60 --set likely_filter_boost=0.2
  manage.py evaluate evaluation/filings --compare 0198c0de-1111-7222-8333-944455556666
  manage.py evaluate evaluation/filings --generator my_model
  manage.py evaluate evaluation/filings --embedding mpnet
  manage.py evaluate --tenant meridian
  manage.py evaluate tests/evaluation/checking --checking

The folder holds documents.jsonl ({"id", "file", "title", "company", "document_type", "period", "kind", ...} a line),
queries.jsonl ({"id", "text", "answer", "relevant": [{"document", "page"}]} a line) and the files. A question may say in
"accepts" what a right answer holds, at least one string of each list ([["780 million", "0.78 billion"], ["EUR", "€"]]);
in "polarity" whether yes or no is right; and in "language" how it is asked. What is new is taken into a tenant of its
own (evaluation), what left the folder is removed from it; what is there already is not read again. Stopped at any
point, the command can be run again. A file that fails is named, on standard error and in the output, and the rest is
evaluated: the exit status is 0.
"""


_WIDTH = 140


@dataclass(frozen=True, slots=True, kw_only=True)
class _Subject:
    """What is evaluated: where, the questions, and what is searched for them."""

    tenant: Tenant
    questions: Sequence[EvaluationQuestion]
    corpus: Corpus
    policy: PolicySnapshot | None = None
    failures: Sequence[Failure] = ()
    notes: Sequence[str] = ()
    policy_words: str = "Policy: the tenant's own, in force."


class Command(ServedCommand):
    help = "Asks known questions, judges what was found and answered, saves the run and prints its figures."

    def create_parser(self, prog_name: str, subcommand: str, **kwargs: Any) -> CommandParser:
        return super().create_parser(
            prog_name, subcommand, epilog=_EXAMPLES, formatter_class=RawDescriptionHelpFormatter, **kwargs
        )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("folder", nargs="?", type=Path, metavar="DIR", help="an evaluation folder")
        parser.add_argument("--tenant", default="", help="a tenant's own evaluation questions instead of a folder")
        parser.add_argument("--json", action="store_true", help="print only one JSON object on standard output")
        parser.add_argument("--ablate", action="store_true", help="also run with one setting changed at a time")
        parser.add_argument("--limit", type=int, help="ask only the first N questions")
        parser.add_argument("--questions", nargs="+", default=[], metavar="ID", help="these questions alone")
        parser.add_argument(
            "--set", action="append", default=[], metavar="NAME=VALUE", help="a setting for this run; may be repeated"
        )
        parser.add_argument("--compare", type=UUID, metavar="RUN_ID", help="an earlier run to compare with")
        parser.add_argument(
            "--generator", default="", metavar="PROFILE", help="answers are written by this generation profile"
        )
        parser.add_argument(
            "--embedding",
            default="",
            metavar="PROFILE",
            help="what computes a folder's vectors",
        )
        parser.add_argument("--anew", action="store_true", help="read and embed all files again")
        parser.add_argument("--member", default="", metavar="USERNAME", help="let somebody see the runs in the admin")
        parser.add_argument(
            "--checking",
            action="store_true",
            help="measure the check of answers on the folder's replies; --set open or --set kept says which",
        )
        parser.add_argument("--show", default="", metavar="CLASS", help="with --checking: list what came out otherwise")

    def handle(self, *args: Any, **options: Any) -> None:
        if (options["folder"] is None) == (not options["tenant"]):
            raise CommandError("Name an evaluation folder, or a tenant with --tenant.")
        if options["embedding"] and options["tenant"]:
            raise CommandError("--embedding belongs to a folder: a tenant has vectors of its own provider.")
        if options["show"] and not options["checking"]:
            raise CommandError("--show belongs to --checking.")
        if options["limit"] is not None and options["limit"] < 1:
            raise CommandError("--limit must be at least 1.")
        try:
            if options["checking"]:
                self._check(options)
            else:
                self._evaluate(options)
        except ApplicationError as error:
            raise CommandError(error.detail) from error
        except KeyboardInterrupt:
            raise CommandError("Stopped. What was read stays. Run the command again to continue from there.") from None

    def _evaluate(self, options: Mapping[str, Any]) -> None:
        # What is measured is what questions are answered with here, but for what is named.
        changes = {**changed_stages(), **read_changes(options["set"])}
        # Before anything is read: half an hour later is late to hear of it.
        RunSettings().with_changes(changes)
        if options["generator"]:
            GENERATION_PROFILES.named(options["generator"])
        if options["embedding"]:
            EMBEDDING_PROFILES.named(options["embedding"])
        member = _member(options["member"]) if options["member"] else None
        with ConsoleWatcher(Console(stderr=True)) as watcher:
            subject = self._own(options) if options["tenant"] else self._folder(options, watcher)
            tenant_id = TenantId(subject.tenant.id)
            if member is not None:
                give_access(subject.tenant, member)
            with open_scope(tenant=tenant_id, reason=REASON):
                other = finished_run(options["compare"]) if options["compare"] else None
            outcome = evaluate(
                subject.questions,
                tenant_id=tenant_id,
                corpus=subject.corpus,
                changes=cast("Mapping[str, Value]", changes),
                ablate=options["ablate"],
                watcher=watcher,
                policy=subject.policy,
                generation_profile=options["generator"],
            )
        with open_scope(tenant=tenant_id, reason=REASON):
            comparison = compare(other, outcome.run) if other is not None else None
        self._print(subject, outcome, comparison, options)

    def _check(self, options: Mapping[str, Any]) -> None:
        wanted = options["set"] or SETS[:1]
        if options["folder"] is None or len(wanted) > 1 or wanted[0] not in SETS:
            raise CommandError(f"--checking takes a folder, and --set with one of: {', '.join(SETS)}.")
        if options["show"] and wanted[0] != SETS[0]:
            raise CommandError("--show is for --set open: the kept cases measure only while nobody reads them.")
        checked = check_cases(read_cases(options["folder"], wanted[0]))
        figures = figures_of(checked)
        if options["json"]:
            self.stdout.write(json.dumps(checking_json(figures), indent=2))
            return
        console = self._console()
        if options["show"]:
            print_unwanted(console, checked, options["show"])
        print_checking(console, figures)

    def _console(self) -> Console:
        # Where no terminal says how wide it is, the tables take the room that they need.
        width = None if self.stdout.isatty() else _WIDTH
        return Console(file=cast("IO[str]", self.stdout), width=width)

    def _folder(self, options: Mapping[str, Any], watcher: ConsoleWatcher) -> _Subject:
        folder = read_folder(options["folder"])
        tenant = evaluation_tenant(options["embedding"])
        check_generator(tenant, options["generator"] or tenant.generation_profile)
        tenant_id = TenantId(tenant.id)
        policy = policy_for(tenant_id, folder.kinds)
        scope_id = dataset_scope(tenant_id, folder.name)
        loaded = load(folder, tenant_id=tenant_id, scope_id=scope_id, watcher=watcher, anew=options["anew"])
        questions = folder_questions(folder, loaded, scope_id)
        return _Subject(
            tenant=tenant,
            questions=chosen(questions, keys=options["questions"], limit=options["limit"]),
            corpus=Corpus(
                dataset=folder.name,
                documents=loaded.documents,
                chunks=loaded.chunks,
                sha256=loaded.corpus_sha256,
                names=loaded.names,
                failed_documents=len(loaded.failures),
            ),
            policy=policy,
            failures=loaded.failures,
            notes=loaded.notes,
            policy_words=policy_words(policy),
        )

    def _own(self, options: Mapping[str, Any]) -> _Subject:
        tenant = tenant_by_slug(options["tenant"])
        with open_scope(tenant=TenantId(tenant.id), reason=REASON):
            questions = own_questions()
            if not questions:
                raise EvaluationError(
                    "retrieval.evaluation_no_questions",
                    what=f"{tenant.slug} has no evaluation questions; Quality, Evaluation questions",
                )
            corpus = own_corpus()
        return _Subject(
            tenant=tenant,
            questions=chosen(questions, keys=options["questions"], limit=options["limit"]),
            corpus=corpus,
        )

    def _print(
        self, subject: _Subject, outcome: Outcome, comparison: Comparison | None, options: Mapping[str, Any]
    ) -> None:
        body = run_json(
            outcome,
            subject.corpus.names,
            failed_documents=subject.failures,
            notes=subject.notes,
            comparison=comparison,
            policy=subject.policy_words,
        )
        for note in subject.notes:
            sys.stderr.write(f"{note}\n")
        if options["json"]:
            self.stdout.write(json.dumps(body, ensure_ascii=False, indent=2))
            return
        console = self._console()
        print_run(console, body)
        if comparison is not None:
            print_comparison(console, comparison)
        for failure in subject.failures:
            console.print(f"Not in the corpus: {failure.file}: {failure.error}", markup=False, soft_wrap=True)
        console.print(
            f"Run {outcome.run.id}. Members of the tenant {subject.tenant.slug} see it in the admin under Quality, "
            "Evaluation runs; --member USERNAME makes somebody one.",
            soft_wrap=True,
        )


def _member(username: str) -> User:
    user = user_by_name(username)
    if user is None or not user.is_active:
        raise CommandError(f"There is no active account {username}. manage.py createsuperuser makes one.")
    return user
