"""Why a file could not be read: one class for each thing that a person would do differently next."""

from __future__ import annotations

from apps.errors import ApplicationError


class ExtractionError(ApplicationError):
    """A file that could not be turned into text. Always has `filename` in its data."""

    code = "corpus.file_unreadable"
    status = 422
    message = "{filename} could not be read."


class EmptyFileError(ExtractionError):
    code = "corpus.file_empty"
    message = "{filename} is empty. Export it again and upload the new copy."


class FileTooLargeError(ExtractionError):
    code = "corpus.file_too_large"
    status = 413
    message = "{filename} has {size_bytes} bytes; the limit is {limit_bytes}. Split it, or ask for a higher limit."


class TooManyPagesError(ExtractionError):
    code = "corpus.file_too_many_pages"
    status = 413
    message = "{filename} has more than {limit_pages} pages ({pages}). Split it, or ask for a higher limit."


class UnpackedTooLargeError(ExtractionError):
    code = "corpus.file_unpacks_too_large"
    status = 413
    message = "{filename} unpacks to {unpacked_bytes} bytes, over the limit of {limit_bytes}. Save a smaller copy."


class TooComplexError(ExtractionError):
    code = "corpus.file_too_complex"
    message = "{filename} is over a limit: {what}, at most {limit}. Split or simplify it."


class EncryptedFileError(ExtractionError):
    code = "corpus.file_encrypted"
    message = "{filename} needs a password. Save a copy without one and upload that."


class CorruptFileError(ExtractionError):
    code = "corpus.file_corrupt"
    message = "{filename} is damaged ({reason}). Export it again from its source."


class TruncatedFileError(CorruptFileError):
    code = "corpus.file_truncated"
    message = "{filename} is cut off ({reason}). Transfer the whole file again."


class LyingFileError(ExtractionError):
    code = "corpus.file_lies"
    message = "{filename} is named as {claimed}, but its content is {detected}. Rename it, or upload the right file."


class UnsupportedFileError(ExtractionError):
    code = "corpus.file_unsupported"
    status = 415
    message = "{filename} is {detected}, which can't be read. Save it as PDF, HTML, DOCX, Markdown, CSV, JSON or text."


class UnknownEncodingError(ExtractionError):
    code = "corpus.file_encoding_unknown"
    message = "{filename} is text in an unknown encoding, and a wrong guess would garble it. Save it as UTF-8."


class MacroFileError(ExtractionError):
    code = "corpus.file_with_macros"
    status = 415
    message = (
        "{filename} is a Word document with macros, which Glassbox does not read. Save it as .docx without macros."
    )


class NoTextError(ExtractionError):
    code = "corpus.file_without_text"
    message = "{filename} has no text in it ({reason}). If it is a scan, run text recognition and upload the result."


class TooCostlyError(ExtractionError):
    """The process that read it met a limit, at a page where one is named."""

    code = "corpus.file_too_costly"
    message = (
        "Reading {filename} takes more {what} than one file may use, {limit}{place}. Save a simpler copy with the "
        "program that made it, or split it."
    )


class ReaderFailedError(ExtractionError):
    """The process that read it ended by a fault of the file or of the reader; the log of the worker says more."""

    code = "corpus.file_fails_reader"
    message = (
        "{filename} can't be read: the reader failed ({reason}){place}. Save it again with the program that made "
        "it, or in another format."
    )


class NoSandboxError(ExtractionError):
    """Nothing is wrong with the file: the installation demands what this machine does not give."""

    code = "corpus.no_sandbox"
    status = 503
    message = (
        "{filename} was not read: this installation reads files only in a complete sandbox, but this machine "
        "lacks {missing}. Run the worker where the kernel and the container support it, then start the job again."
    )
