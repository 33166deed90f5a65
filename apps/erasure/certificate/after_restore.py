"""What supplements say, checked and in words: of an erasure whose database was put back since. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

FORMAT: Final = "glassbox.erasure.restored.v1"
_OUTCOMES: Final = ("nothing_came_back", "not_proven", "proved")
_OF_A_PROOF: Final = ("needles", "control", "scan")


def is_supplement(body: Mapping[str, Any]) -> bool:
    return bool(body["format"] == FORMAT)


def says_restored(body: Mapping[str, Any]) -> str:
    """What in a supplement contradicts itself, but for its proof; empty where nothing does."""
    outcome, came_back = body["outcome"], sum(run["came_back"] for run in body["runs"])
    kept = sum(run["kept"] for run in body["runs"])
    if outcome not in _OUTCOMES or not body["runs"]:
        return "it names no erasure and its outcome"
    if any(run["came_back"] < 0 or run["kept"] < 0 for run in body["runs"]):
        return "it counts less than nothing"
    if any(store["remaining"] != 0 for store in body["stores"]):
        return "a store still held something that was to be removed"
    if bool(body["stores"]) != bool(came_back):
        return "the counts by store and by run of what came back differ"
    if outcome == "nothing_came_back" and (came_back or kept):
        return "it says that nothing came back, but counts something"
    if outcome == "proved" and not came_back:
        return "it says that what came back is proved gone, but counts nothing"
    if (body["why"] == "") is (outcome == "not_proven"):
        return "it is not proved and gives no reason, or it is proved and gives a reason"
    if outcome != "proved" and any(body[name] is not None for name in _OF_A_PROOF):
        return "it says that nothing was proved, but mentions a proof"
    return ""


def restored_lines(supplements: Iterable[Mapping[str, Any]], *, run: str) -> list[str]:
    """A sentence for each restore that concerns a run, the newest first. Args: supplements: their bodies."""
    newest: dict[str, Mapping[str, Any]] = {}
    for body in supplements:
        known = newest.get(body["restoration"])
        if known is None or known["end"] < body["end"]:
            newest[body["restoration"]] = body
    found = []
    for body in sorted(newest.values(), key=lambda each: str(each["times"]["restored"]), reverse=True):
        found += [restored_line(body, each) for each in body["runs"] if each["run"] == run]
    return found


def restored_line(body: Mapping[str, Any], run: Mapping[str, Any]) -> str:
    times = body["times"]
    backup = f" (backup of {times['backup'][:10]})" if times["backup"] else ""
    when = f"{times['restored'][:10]}{backup}"
    kept = f"; {run['kept']} of its targets came back and stay under a legal hold" if run["kept"] else ""
    if not run["came_back"]:
        said = f"Restored on {when}; " + ("nothing else of it came back" if kept else "nothing of it came back")
    elif body["outcome"] == "proved":
        said = f"Proved again on {times['proved'][:10]}, after the restore of {when}"
    else:
        said = f"Restored on {when}, and removed again; NOT proven again ({body['why']})"
    return f"{said}{kept}."


def supplements_in(document: Any) -> Sequence[Mapping[str, Any]]:
    """The bodies that come along with a certificate; none of one of an earlier release."""
    told = document.get("restored", ()) if isinstance(document, dict) else ()
    return [each["certificate"] for each in told]
