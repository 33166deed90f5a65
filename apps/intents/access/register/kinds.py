"""Find the kind that a question names: by its key, or by the firm's name of it. Pure."""

from __future__ import annotations

from collections.abc import Iterable

from apps.intents.access.names import folded, is_whole, words
from apps.intents.access.register.contracts import Version
from apps.intents.errors import RegisterQuestionError


def kind_named(typed: str, versions: Iterable[Version]) -> str:
    """Return the key of the kind that was meant; empty for no kind.

    A key comes before a name. Names are compared as those of people are: without regard to case, accents, blanks,
    hyphens and the order of words. Any of the versions may have given the kind its name.
    Raises: RegisterQuestionError: no kind of the versions has this key or name, or several have the name.
    """
    wanted = folded(typed)
    if not wanted:
        return ""
    named: dict[str, dict[str, None]] = {}
    for version in versions:
        for kind in version.snapshot.kinds:
            named.setdefault(kind.value, {})[kind.label] = None
    if (key := typed.strip()) in named or (key := wanted) in named:
        return key
    means = words(typed)
    found = [
        key
        for key, names in named.items()
        if any(folded(name) == wanted or (means and is_whole(means, words(name))) for name in names)
    ]
    if len(found) == 1:
        return found[0]
    code = "intents.register_kind_ambiguous" if found else "intents.register_unknown_kind"
    told = [f"{key} ({' or '.join(named[key])})" for key in found or named]
    raise RegisterQuestionError(code, field="kind", known=", ".join(told) or "none, since no version was in force")
