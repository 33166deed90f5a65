"""Prepare torch in this process: set its number of threads, and prevent downloads."""

from __future__ import annotations

import logging
import os

logger = logging.getLogger(__name__)
_torch_used_by_pid: int | None = None


def prepare_torch(threads: int = 0) -> None:
    """Import torch and set its number of threads; call this before a model is loaded. Takes seconds the first time.

    Args: threads: how many threads torch may use; 0 leaves the choice to torch.
    """
    # Both are read once, when the library is imported: without the first, a name
    # that is not in the cache asks the network; without the second, loading draws a bar into the worker's log.
    os.environ.setdefault("HF_HUB_OFFLINE", "1")
    os.environ.setdefault("HF_HUB_DISABLE_PROGRESS_BARS", "1")
    import torch

    global _torch_used_by_pid
    if _torch_used_by_pid not in (None, os.getpid()):
        # torch's thread pool does not survive a fork: the first parallel operation in the child waits for ever.
        logger.warning("A model was loaded before this process forked; it computes on one thread.")
        torch.set_num_threads(1)
    elif threads:
        torch.set_num_threads(threads)
    _torch_used_by_pid = _torch_used_by_pid or os.getpid()
