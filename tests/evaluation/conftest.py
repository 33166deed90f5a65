"""The folder, written once a session."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.evaluation.folder import write_folder


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    directory: Path = tmp_path_factory.mktemp("folder")
    write_folder(directory)
    return directory
