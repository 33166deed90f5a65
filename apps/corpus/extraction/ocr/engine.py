"""The two networks: where text stands in a picture, and what a piece of a line says.

The weights are PP-OCRv6 (PaddlePaddle, Apache-2.0), which the package `rapidocr` carries as ONNX files. Its own
pipeline is not used: it pads each number to the width of a sentence, which costs two to three times as much for a page
of a table, and takes one gigabyte of address space, which is all that a reading process has.
"""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple, cast

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from PIL.Image import Image

_FINDS: Final = "PP-OCRv6_det_small.onnx"
_READS: Final = "PP-OCRv6_rec_small.onnx"
# The width and height of a picture that is searched for text are multiples of this.
_FIELD: Final = 32
# Rows of a piece of a line as it is read, and columns for each character position of the answer.
READ_HEIGHT: Final = 48
STEP: Final = 8
_NARROWEST: Final = 48
# A line is no wider: 200 characters of usual type.
_WIDEST: Final = 4_000
_BLANK: Final = 0


class ReadPiece(NamedTuple):
    """What a piece of a line says: its characters, the middle of each as a share of the width, and how sure it is."""

    text: str
    middles: tuple[float, ...]
    confidence: float


def weights_folder() -> Path | None:
    """Return where the weights lie, None if the packages are not installed. Imports neither of them."""
    found = importlib.util.find_spec("rapidocr"), importlib.util.find_spec("onnxruntime")
    if found[0] is None or found[1] is None or not found[0].submodule_search_locations:
        return None
    folder = Path(found[0].submodule_search_locations[0]) / "models"
    return folder if (folder / _FINDS).is_file() and (folder / _READS).is_file() else None


class Engine:
    """Both networks, loaded. One thread: the process may start no other."""

    def __init__(self, folder: Path) -> None:
        import onnxruntime  # loaded with the first picture: other documents pay nothing for it

        onnxruntime.set_default_logger_severity(4)
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        # Pages differ in size, so that memory kept for the next one would only grow.
        options.enable_cpu_mem_arena = options.enable_mem_pattern = False

        def session(name: str) -> Any:
            return onnxruntime.InferenceSession(str(folder / name), options, providers=["CPUExecutionProvider"])

        self._finds, self._reads = session(_FINDS), session(_READS)
        listed = self._reads.get_modelmeta().custom_metadata_map["character"].splitlines()
        self._characters = ("", *listed, " ")

    def find(self, picture: Image) -> NDArray[np.float32]:
        """Return for each pixel how likely it belongs to text, in the picture's own size."""
        columns, rows = (max(_FIELD, round(size / _FIELD) * _FIELD) for size in picture.size)
        answer = _run(self._finds, picture.resize((columns, rows)))
        return np.asarray(answer[0, 0], dtype=np.float32)

    def read(self, piece: Image) -> ReadPiece:
        """Read one piece of a line, which stands upright."""
        wide = min(max(round(piece.width * READ_HEIGHT / max(piece.height, 1)), _NARROWEST), _WIDEST)
        columns = -(-wide // STEP) * STEP
        answer = _run(self._reads, piece.resize((columns, READ_HEIGHT)))
        best, sure = answer[0].argmax(axis=1), answer[0].max(axis=1)
        text: list[str] = []
        middles: list[float] = []
        kept: list[float] = []
        before = _BLANK
        for step, (number, share) in enumerate(zip(best.tolist(), sure.tolist(), strict=True)):
            if number not in (_BLANK, before):
                # A sign that is more than one character stands for one place.
                text.append(self._characters[number][:1] or " ")
                middles.append((step + 0.5) / len(best))
                kept.append(share)
            before = number
        confidence = sum(kept) / len(kept) if kept else 0.0
        return ReadPiece("".join(text), tuple(middles), confidence)


def _run(session: Any, picture: Image) -> NDArray[np.float32]:
    """Return the answer of a network. Raises: MemoryError, for which the library has exceptions of its own."""
    try:
        (answer,) = session.run(None, {"x": _as_input(picture)})
    except Exception as error:
        if "alloc" in str(error):
            raise MemoryError from error
        raise
    return cast("NDArray[np.float32]", answer)


def _as_input(picture: Image) -> NDArray[np.float32]:
    """Return a grey picture as both networks take it: three equal layers, from -1 (black) to 1."""
    layer = np.asarray(picture, dtype=np.float32) / 127.5 - 1.0
    return np.ascontiguousarray(np.broadcast_to(layer, (1, 3, *layer.shape)))
