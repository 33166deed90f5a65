"""The benchmark of the physical phase with few passages; no times are judged."""

from __future__ import annotations

from tests.benchmarks.erasure_physical import as_text, run


def test_what_was_removed_is_found_before_the_phase_and_not_after() -> None:
    report = run(chunks=200, gigabytes=0.005)
    assert report["hits_before"] > 0
    assert report["hits_after"] == report["file_hits"] == 0
    assert all(step["done"] for step in report["steps"])
    assert "200 passages" in as_text(report)
