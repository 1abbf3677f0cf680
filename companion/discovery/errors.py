"""The error of this package.

Rule: its text is one sentence for the user, without a full stop and without secrets. It names the path and the cause.
"""

from __future__ import annotations


class DiscoveryError(Exception):
    """Agents cannot find the editor for now. `str()` is the sentence for the user. A later retry may succeed."""
