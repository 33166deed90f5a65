"""The token counter must count as the model's own tokenizer does."""

from __future__ import annotations

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

from apps.corpus.tokens import wordpiece_counter


def test_special_tokens_are_not_counted() -> None:
    assert wordpiece_counter()(["", "fund", "the fund"]) == [0, 1, 2]


def test_a_sum_of_pieces_is_the_count_of_the_whole() -> None:
    count = wordpiece_counter()
    pieces = [
        "Purchases of property | 2018: $(1,577)",
        "were \u201chigher\u201d \u2014 by 3.5% \u2026",
        "Größe \u4e2d\u6587",
    ]
    assert sum(count(pieces)) == count(["\n".join(pieces)])[0]


def test_long_inputs_are_not_cut() -> None:
    assert wordpiece_counter()(["fund " * 2_000]) == [2_000]


def test_many_texts_are_counted_in_order() -> None:
    assert wordpiece_counter()(["fund " * (number % 5) for number in range(9_000)]) == [n % 5 for n in range(9_000)]


def test_threads_share_it() -> None:
    count = wordpiece_counter()
    with ThreadPoolExecutor(4) as pool:
        results = list(pool.map(lambda _: count(["the quick brown fox"] * 50), range(20)))
    assert all(result == [4] * 50 for result in results)


def test_torch_is_not_imported() -> None:
    use = "from apps.corpus.tokens import wordpiece_counter; wordpiece_counter()(['a'])"
    code = f"import sys; {use}; print('torch' in sys.modules)"
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert result.stdout.strip() == "False"
