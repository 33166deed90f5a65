"""How long it takes to prove what a change of a large policy lets through.

    python -m tests.benchmarks.policy_proof [--quick] [--json] [--repetitions N]

Two policies of 30 intents, 40 kinds, 12 roles and 200 scopes, made up from a seed: each intent permits a third of the
kinds, each role is held in half of the scopes, and between the two a tenth of both differs. That is 2,880,000
combinations of role, scope, intent and kind. Both have a profile of 200 rules, of which a tenth of the terms differs,
uploaders, and two reviewers. What is timed is everything after the reading of rows: deciding all
theorems, their words, and the file to the byte. The count of the first theorem is compared with one that enumerates
all combinations. No database takes part. It is a script and no test: it prints `met` or `missed` without ever failing.
"""

from __future__ import annotations

import argparse
import json
import os
import random
from collections.abc import Sequence
from time import perf_counter
from typing import Any

INTENTS, KINDS, ROLES, SCOPES = 30, 40, 12, 200
RULES, TERMS = 200, 30
AIM_S = 5.0
REPETITIONS = 5


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(
        prog="python -m tests.benchmarks.policy_proof", description=(__doc__ or "").splitlines()[0]
    )
    parser.add_argument("--quick", action="store_true", help="one repetition")
    parser.add_argument("--json", action="store_true", help="print JSON instead of words")
    parser.add_argument("--repetitions", type=int, default=REPETITIONS)
    options = parser.parse_args(arguments)
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings.test")
    import django

    django.setup()
    report = run(1 if options.quick else options.repetitions)
    print(json.dumps(report, indent=2) if options.json else as_text(report))


def as_text(report: dict[str, Any]) -> str:
    verdict = "met" if report["slowest_s"] < AIM_S else "missed"
    return (
        f"{report['combinations']:,} combinations, {report['gained']:,} of them gained (enumerated: "
        f"{report['enumerated']:,}), a file of {report['file_bytes']:,} bytes: {report['fastest_s']:.3f} to "
        f"{report['slowest_s']:.3f} s\naim: under {AIM_S:g} s: {verdict}"
    )


def run(repetitions: int) -> dict[str, Any]:
    from apps.audit.canonical import canonical_bytes
    from apps.intents.proof.contracts import Theorem
    from apps.intents.proof.facts import facts_of
    from apps.intents.proof.rendering import result_json
    from apps.intents.proof.theorems import decide
    from apps.intents.proof.words import Names, state

    before, after = _sides()
    times = []
    for _ in range(repetitions):
        start = perf_counter()
        results = decide(facts_of(*before), facts_of(*after))
        said = state(results, Names(intents={}), shown=10**9)
        file = canonical_bytes(
            {
                "before": before[0],
                "after": after[0],
                "theorems": [
                    result_json(result, each.sentence) for result, each in zip(results.values(), said, strict=True)
                ],
            }
        )
        times.append(perf_counter() - start)
    return {
        "combinations": INTENTS * KINDS * ROLES * SCOPES,
        "gained": results[Theorem.NOTHING_GAINED].count,
        "enumerated": len(_enumerated(*after) - _enumerated(*before)),
        "file_bytes": len(file),
        "fastest_s": min(times),
        "slowest_s": max(times),
    }


_Side = tuple[dict[str, Any], dict[str, frozenset[str]]]


def _sides() -> tuple[_Side, _Side]:
    chance = random.Random(20261128)
    kinds = {f"intent_{i}": {f"kind_{k}" for k in range(KINDS) if chance.random() < 1 / 3} for i in range(INTENTS)}
    held = {f"role_{r}": {f"scope_{s:03}" for s in range(SCOPES) if chance.random() < 1 / 2} for r in range(ROLES)}

    def altered(sets: dict[str, set[str]], names: list[str]) -> dict[str, set[str]]:
        return {key: each ^ {name for name in names if chance.random() < 1 / 10} for key, each in sets.items()}

    other = altered(kinds, [f"kind_{k}" for k in range(KINDS)])
    moved = altered(held, [f"scope_{s:03}" for s in range(SCOPES)])
    return _side(chance, kinds, held), _side(chance, other, moved)


def _side(chance: random.Random, kinds: dict[str, set[str]], held: dict[str, set[str]]) -> _Side:
    from apps.intents.baseline import baseline_snapshot
    from apps.intents.snapshots.content import policy_content

    content = policy_content(baseline_snapshot())
    rule = content["intents"][0]
    content["intents"] = [{**rule, "name": name, "kinds": sorted(each)} for name, each in kinds.items()]
    content["fallback"]["kinds"] = []
    content["budgets"] = [
        {"kind": f"kind_{k}", "label": "x", "cap_chars": 100, "uploaders": ["analyst"]} for k in range(KINDS)
    ]
    content["profile"] = [
        {
            "key": f"rule_{n}",
            "sort": ("topic", "instruments", "disclaimer")[n % 3],
            "name": "x",
            "text": f"{n}",
            "terms": [f"term {n} {t} {chance.random() < 1 / 10}" for t in range(TERMS)] if n % 3 < 2 else [],
            "intents": [f"intent_{i}" for i in range(INTENTS)] if n % 3 else [],
            "in_question": "allow" if n % 3 == 2 else "refuse",
            "in_answer": "allow" if n % 3 == 2 else "block",
        }
        for n in range(RULES)
    ]
    content["two_reviewers_for"] = ["wider_reach", "profile"]
    return content, {role: frozenset(scopes) for role, scopes in held.items()}


def _enumerated(content: dict[str, Any], held: dict[str, frozenset[str]]) -> set[tuple[str, str, str, str]]:
    return {
        (role, scope, rule["name"], kind)
        for role, scopes in held.items()
        for scope in scopes
        for rule in content["intents"]
        for kind in rule["kinds"]
    }


if __name__ == "__main__":
    main()
