"""Read a policy file into a policy snapshot without executing it."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, get_type_hints
from uuid import uuid5

from apps.intents.baseline_types import BaselineBudget, BaselineClassifier, BaselineFallback, BaselineIntent
from apps.intents.contracts import FALLBACK_NAME, PolicySnapshot, RecordingMode
from apps.intents.errors import InvalidRetrievalSettingsError, PolicyFileError
from apps.intents.policy_file.invariants import read_file_invariants
from apps.intents.policy_file.kinds import KIND_DETAILS, read_kind_details, read_kind_key
from apps.intents.policy_file.limits import (
    LONGEST_EXAMPLE,
    LONGEST_LABEL,
    LONGEST_NAME,
    LONGEST_TERM,
    MOST_CHARS,
    MOST_NEIGHBOURS,
)
from apps.intents.policy_file.literals import FileProblem, LiteralReader, nearest, shown
from apps.intents.policy_file.profile import read_file_profile
from apps.intents.policy_file.reviewers import read_file_two_for
from apps.intents.retrieval_settings import RetrievalSettings, retrieval_settings_from_json
from apps.intents.snapshots.content import BASELINE_ID, read_content
from apps.intents.validation import example_key

_LONGEST_FILE: Final = 1_000_000
_NAME: Final = re.compile(r"[a-z][a-z0-9_]*")
_BLOCKS: Final = (
    "INTENTS",
    "FALLBACK",
    "BUDGETS",
    "TOTAL_CAP",
    "CLASSIFIER",
    "RETRIEVAL",
    "INVARIANTS",
    "PROFILE",
    "TWO_REVIEWERS_FOR",
)
_OPTIONAL: Final = frozenset({"RETRIEVAL", "INVARIANTS", "PROFILE", "TWO_REVIEWERS_FOR"})
_READ_PAST: Final = frozenset({"__future__", "apps.intents.baseline_types"})


@dataclass(frozen=True, slots=True, kw_only=True)
class PolicyFile:
    """A file's policy, and where in the file its parts stand: an intent by its name, an example by its text, a budget
    by its kind, a threshold by its name, a block by its name in capitals; (line, column), counted from 1."""

    snapshot: PolicySnapshot
    places: Mapping[str, tuple[int, int]]


def parse_policy_file(text: str, *, filename: str) -> PolicySnapshot:
    """The policy of a file; its version has number 0, and whether it can be used is not looked at.

    Args:    filename: for the messages.
    Raises:  PolicyFileError: with everything that could be found wrong, each with line and column.
    """
    return read_policy_file(text, filename=filename).snapshot


def read_policy_file(text: str, *, filename: str) -> PolicyFile:
    """As parse_policy_file, with the places of the parts."""
    text = text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
    if len(text) > _LONGEST_FILE:
        message = f"the file has {len(text)} characters, more than {_LONGEST_FILE}; is it a policy?"
        raise PolicyFileError(filename=filename, problems=(FileProblem(line=1, column=1, message=message),))
    reader = LiteralReader(lines=text.split("\n"))
    try:
        tree = ast.parse(text)
    except SyntaxError as error:
        message = f"this can't be read ({error.msg}); look for a quote, comma or bracket that is missing here or above."
        problem = FileProblem(line=error.lineno or 1, column=max(1, error.offset or 1), message=message)
        raise PolicyFileError(filename=filename, problems=(problem,)) from error
    except (ValueError, RecursionError, MemoryError) as error:
        problem = FileProblem(line=1, column=1, message=f"this can't be read ({error}); is it a policy?")
        raise PolicyFileError(filename=filename, problems=(problem,)) from error
    policy = _Policy(reader=reader)
    content = policy.content(tree)
    if reader.problems:
        raise PolicyFileError(filename=filename, problems=reader.found())
    return PolicyFile(snapshot=read_content(content, version_id=uuid5(BASELINE_ID, text)), places=policy.places)


@dataclass(slots=True, kw_only=True)
class _Policy:
    """Reads the blocks one after the other and remembers where things stand."""

    reader: LiteralReader
    places: dict[str, tuple[int, int]] = field(default_factory=dict)
    known: set[str] = field(default_factory=set)

    def content(self, tree: ast.Module) -> dict[str, Any]:
        """Return what read_content takes; where the reader has problems, with empty values that must not be used."""
        blocks = self._blocks(tree)
        budgets = list(self._budgets(blocks.get("BUDGETS")))
        self.known = {row["kind"] for row in budgets}
        return {
            "intents": list(self._intents(blocks.get("INTENTS"))),
            "fallback": self._fallback(blocks.get("FALLBACK")),
            "budgets": budgets,
            "total_cap_chars": self.reader.whole(blocks.get("TOTAL_CAP"), "TOTAL_CAP", least=1, most=MOST_CHARS),
            "classifier": self._classifier(blocks.get("CLASSIFIER")),
            "retrieval": self._retrieval(blocks.get("RETRIEVAL")),
            "invariants": read_file_invariants(self.reader, blocks.get("INVARIANTS")),
            "profile": read_file_profile(self.reader, blocks.get("PROFILE")),
            "two_reviewers_for": read_file_two_for(self.reader, blocks.get("TWO_REVIEWERS_FOR")),
        }

    def _blocks(self, tree: ast.Module) -> dict[str, ast.expr]:
        found: dict[str, ast.expr] = {}
        for number, statement in enumerate(tree.body):
            if isinstance(statement, ast.ImportFrom) and statement.module in _READ_PAST:
                continue
            if number == 0 and isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant):
                continue  # the text at the head of the file
            target = _assigned(statement)
            if target is None:
                self.reader.problem(
                    statement, f"nothing is executed here; remove this, only {', '.join(_BLOCKS)} are read."
                )
                continue
            name, value = target
            if name not in _BLOCKS:
                self.reader.problem(statement, f'there is no block "{shown(name)}"; {nearest(name, _BLOCKS)}')
            elif name in found:
                self.reader.problem(statement, f"the block {name} occurs twice; remove one.")
            else:
                found[name] = value
                self.places[name] = self.reader.place(statement)
        for name in _BLOCKS:
            if name not in found and name not in _OPTIONAL:
                self.reader.problem(None, f"the block {name} is missing; add it (`{name} = ...`).")
        return found

    def _intents(self, node: ast.expr | None) -> Iterator[dict[str, Any]]:
        seen: set[str] = set()
        for number, row in enumerate(self.reader.items(node, "INTENTS"), start=1):
            values = self.reader.fields(row, f"intent {number}", get_type_hints(BaselineIntent))
            name = self._name(values.get("name"), f"the name of intent {number}")
            what = f"intent '{shown(name)}'" if name else f"intent {number}"
            if name in seen:
                self.reader.problem(values.get("name"), f"{what} is there already; rename or remove one of the two.")
            seen.add(name)
            self.places.setdefault(name, self.reader.place(row))
            yield {"name": name, **self._rule(values, what), **self._terms(values, what)}

    def _fallback(self, node: ast.expr | None) -> dict[str, Any]:
        return self._rule(self.reader.fields(node, "FALLBACK", get_type_hints(BaselineFallback)), "FALLBACK")

    def _rule(self, values: Mapping[str, ast.expr], what: str) -> dict[str, Any]:
        """Read what an intent and the fallback have in common."""
        return {
            "examples": list(self._examples(values.get("examples"), what)),
            "label": self.reader.text(values.get("label"), f"{what}: the label", longest=LONGEST_LABEL),
            "description": self.reader.text(values.get("description"), f"{what}: the description"),
            "kinds": self._kinds(values.get("kinds"), what),
            "recording_mode": self._mode(values.get("recording_mode"), what),
        }

    def _budgets(self, node: ast.expr | None) -> Iterator[dict[str, Any]]:
        seen: set[str] = set()
        keys = get_type_hints(BaselineBudget)
        for position, row in enumerate(self.reader.items(node, "BUDGETS"), start=1):
            what = f"budget {position}"
            values = self.reader.fields(row, what, keys, optional=KIND_DETAILS)
            label = self.reader.text(values.get("label"), f"{what}: the label", longest=LONGEST_LABEL)
            cap = self.reader.whole(values.get("cap_chars"), f"{what}: cap_chars", least=1, most=MOST_CHARS)
            kind = read_kind_key(self.reader, values.get("kind"), what)
            if not kind:
                continue
            if kind in seen:
                self.reader.problem(values.get("kind"), f'{what}: "{kind}" has a budget already; remove one.')
            seen.add(kind)
            self.places.setdefault(kind, self.reader.place(row))
            yield {"kind": kind, "label": label, "cap_chars": cap, **read_kind_details(self.reader, values, what)}

    def _classifier(self, node: ast.expr | None) -> dict[str, float]:
        values = self.reader.fields(node, "CLASSIFIER", get_type_hints(BaselineClassifier))
        self.places.update({name: self.reader.place(value) for name, value in values.items()})
        numbers = {
            name: self.reader.number(values.get(name), f"CLASSIFIER: {name}")
            for name in get_type_hints(BaselineClassifier)
            if name != "neighbours"
        }
        neighbours = self.reader.whole(
            values.get("neighbours"), "CLASSIFIER: neighbours", least=1, most=MOST_NEIGHBOURS
        )
        return {"neighbours": neighbours, **numbers}

    def _retrieval(self, node: ast.expr | None) -> dict[str, int | float | bool]:
        values = self.reader.fields(node, "RETRIEVAL", RetrievalSettings().as_json(), all_needed=False)
        settings: dict[str, int | float | bool] = {}
        for name, value_node in values.items():
            value = self.reader.setting(value_node, f"RETRIEVAL: {name}")
            if value is None:
                continue
            try:
                retrieval_settings_from_json({name: value})
            except InvalidRetrievalSettingsError as error:
                self.reader.problem(value_node, f"RETRIEVAL: {name}: {error.data['problem']}.")
            else:
                settings[name] = value
        return settings

    def _name(self, node: ast.expr | None, what: str) -> str:
        name = self.reader.text(node, what, longest=LONGEST_NAME)
        if name.strip() and not _NAME.fullmatch(name):
            self.reader.problem(node, f"{what} must be lower-case letters, digits and _, a letter first.")
        if name == FALLBACK_NAME:
            self.reader.problem(node, f"the name '{FALLBACK_NAME}' belongs to FALLBACK; choose another.")
        return name

    def _kinds(self, node: ast.expr | None, what: str) -> set[str]:
        kinds: set[str] = set()
        for item in self.reader.items(node, f"{what}: kinds"):
            kind = self._kind(item, what)
            if kind in kinds:
                self.reader.problem(item, f'{what}: the kind "{kind}" occurs twice; remove one.')
            if kind:
                kinds.add(kind)
        return kinds

    def _kind(self, node: ast.expr | None, what: str) -> str:
        name = self.reader.text(node, f"{what}: a kind")
        if name.strip() and name not in self.known:
            known = sorted(self.known)
            hint = nearest(name, known) if known else "BUDGETS lists none."
            self.reader.problem(node, f'{what}: there is no kind "{shown(name)}" in BUDGETS; {hint}')
            return ""
        return name.strip()

    def _mode(self, node: ast.expr | None, what: str) -> str:
        name = self.reader.text(node, f"{what}: the recording mode")
        modes = [mode.value for mode in RecordingMode]
        if name.strip() and name not in modes:
            self.reader.problem(node, f'{what}: there is no recording mode "{shown(name)}"; {nearest(name, modes)}')
        return name

    def _terms(self, values: Mapping[str, ast.expr], what: str) -> dict[str, list[str]]:
        terms: dict[str, list[str]] = {"decisive_terms": [], "terms": []}
        seen: set[str] = set()
        for key, read in terms.items():
            for node, text in self._term_texts(values.get(key), f"{what}: {key}"):
                if len(text) > LONGEST_TERM:
                    self.reader.problem(
                        node,
                        f"{what}: the term '{text[:20]}...' is longer than {LONGEST_TERM} characters; is a comma "
                        "missing?",
                    )
                if text in seen:
                    self.reader.problem(node, f"{what}: the term '{shown(text)}' occurs twice; remove one.")
                seen.add(text)
                read.append(text)
        return terms

    def _term_texts(self, node: ast.expr | None, what: str) -> Iterator[tuple[ast.expr, str]]:
        """Terms separated by commas; or in a list, where they are kept to the character."""
        if isinstance(node, ast.List):
            yield from ((item, self.reader.text(item, f"{what}: a term")) for item in node.elts)
        elif node is not None and not (isinstance(node, ast.Constant) and node.value == ""):
            texts = self.reader.text(node, what).split(",")
            yield from ((node, " ".join(text.split())) for text in texts if text.strip())

    def _examples(self, node: ast.expr | None, what: str) -> Iterator[str]:
        for item in self.reader.items(node, f"{what}: examples"):
            text = self.reader.text(item, f"{what}: an example", longest=LONGEST_EXAMPLE)
            self.places.setdefault(example_key(text), self.reader.place(item))
            yield text


def _assigned(statement: ast.stmt) -> tuple[str, ast.expr] | None:
    """Name and value of `NAME = ...` or `NAME: type = ...`; the type is not looked at."""
    if isinstance(statement, ast.AnnAssign) and isinstance(statement.target, ast.Name) and statement.value is not None:
        return statement.target.id, statement.value
    if isinstance(statement, ast.Assign) and len(statement.targets) == 1 and isinstance(statement.targets[0], ast.Name):
        return statement.targets[0].id, statement.value
    return None
