"""The one file: a policy version as a page that an officer can read, keep, compare and hand in."""

from apps.intents.policy_file.checking import checked_policy_file
from apps.intents.policy_file.parsing import parse_policy_file
from apps.intents.policy_file.rendering import render_policy_file, version_heading

__all__ = ["checked_policy_file", "parse_policy_file", "render_policy_file", "version_heading"]
