"""What discovery says when it cannot do its work.

Rule: the text is one sentence for the user, without a full stop, without a secret; it names the path and the cause.
"""

from __future__ import annotations


class DiscoveryError(Exception):
    """Clients cannot find the editor for now. `str()` is the sentence for the user; trying again later is sensible."""
