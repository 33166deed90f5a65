"""Checkpoints as objects of an S3-compatible store, s3://bucket/prefix, through boto3 with path-style addresses.

Lock the bucket's objects (WORM), so that even an attacker who has the access keys can't change what it keeps.
"""

from __future__ import annotations

import base64
import hashlib
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, Final

import boto3
from botocore.config import Config
from botocore.exceptions import BotoCoreError, ClientError, NoCredentialsError
from botocore.session import get_session

from apps.audit.errors import CheckpointExportError

_TIMEOUT_S: Final = 10.0
_ONCE: Final = Config(connect_timeout=_TIMEOUT_S, read_timeout=_TIMEOUT_S, retries={"total_max_attempts": 1})
_STORE: Final = Config(
    signature_version="s3v4",
    s3={"addressing_style": "path", "payload_signing_enabled": True},
    # Stores other than Amazon's do not support the newer checksums, which boto3 would send by default.
    request_checksum_calculation="when_required",
    response_checksum_validation="when_required",
    # Ignore the environment's proxies: a proxy would see content that only the store should see.
    proxies={},
)


@dataclass(frozen=True, slots=True, kw_only=True)
class S3Bucket:
    """A bucket of an S3-compatible store.

    endpoint: such as https://s3.eu-central-1.amazonaws.com; the bucket is the first part of the path.
    access_key, secret_key: if both are empty, boto3 looks for credentials: AWS_* variables, a profile, the instance's
    role.
    """

    bucket: str
    prefix: str
    endpoint: str
    region: str
    access_key: str
    secret_key: str = field(repr=False)

    def put(self, origin: str, name: str, note: str) -> None:
        body = note.encode()
        # A bucket that locks its objects accepts none without a checksum.
        checksum = base64.b64encode(hashlib.md5(body, usedforsecurity=False).digest()).decode()
        with self._telling():
            self._client().put_object(Bucket=self.bucket, Key=self._key(origin, name), Body=body, ContentMD5=checksum)

    def get(self, origin: str, name: str) -> str | None:
        with self._telling():
            try:
                found = self._client().get_object(Bucket=self.bucket, Key=self._key(origin, name))
            except ClientError as error:
                if _status(error) == 404:
                    return None
                raise
            return bytes(found["Body"].read()).decode()

    @property
    def _place(self) -> str:
        return f"s3://{self.bucket}/{self.prefix}"

    def _key(self, *names: str) -> str:
        return "/".join(part for part in (self.prefix, *names) if part)

    def _client(self) -> Any:
        if not self.endpoint or bool(self.access_key) != bool(self.secret_key):
            problem = "GLASSBOX_CHECKPOINT_S3_ENDPOINT is wanted, and _ACCESS_KEY and _SECRET_KEY both or neither"
            raise CheckpointExportError(place=self._place, problem=problem)
        return _client(self.endpoint, self.region, self.access_key, self.secret_key, os.getpid())

    @contextmanager
    def _telling(self) -> Iterator[None]:
        """Turn any failure of a request into a CheckpointExportError that names the place and the problem."""
        try:
            yield
        except ClientError as error:
            raise CheckpointExportError(place=self._place, problem=f"it answers {_status(error)}") from error
        except NoCredentialsError as error:
            problem = "GLASSBOX_CHECKPOINT_S3_ACCESS_KEY is empty, and neither AWS_ACCESS_KEY_ID nor a role is there"
            raise CheckpointExportError(place=self._place, problem=problem) from error
        except (BotoCoreError, ValueError) as error:
            raise CheckpointExportError(place=self._place, problem=type(error).__name__) from error


@lru_cache(maxsize=4)
def _client(endpoint: str, region: str, access_key: str, secret_key: str, _process: int) -> Any:
    """Return the client of this process, which keeps its connections, and a role's credentials until they expire."""
    session = get_session()
    # These limits also apply to requests for credentials.
    session.set_default_client_config(_ONCE)
    if not access_key and session.get_credentials() is None:
        raise NoCredentialsError  # or a client without credentials would stay cached
    return boto3.Session(botocore_session=session, region_name=region).client(
        "s3",
        endpoint_url=endpoint,
        aws_access_key_id=access_key or None,
        aws_secret_access_key=secret_key or None,
        verify=True,
        config=_STORE,
    )


def _status(error: ClientError) -> int:
    return int(error.response["ResponseMetadata"]["HTTPStatusCode"])
