"""What the keys of NeoVintageous mean in a proposal: Vim's ways to write accept it, and our own keys stay ours.

NeoVintageous is loaded after us, so its bindings win wherever their context holds. It leaves those keys alone that the
view's setting `vintageous_handle_keys` names; every character goes to its command `nv_feed_key`. It writes no view that
is not dirty, as ours never are, and would close it. `:w` and the like are key bindings of ours in its command line.
"""

from __future__ import annotations

from typing import Any, Dict, Optional

FEED = "nv_feed_key"
SETTING = "vintageous_handle_keys"
_OURS = ("<C-s>", "<D-s>", "<f8>", "<S-f8>", "<C-f8>", "<C-S-f8>")
_TAKES_A_CHARACTER = "fFtTrmqgz'`\"@"  # the character behind one of these is no command


def handled_keys(before: Any) -> Dict[str, bool]:
    """The setting for our views, made of the user's own."""
    return {**(before if isinstance(before, dict) else {}), **dict.fromkeys(_OURS, False)}


class Typed:
    """What was typed last in NeoVintageous' normal mode."""

    def __init__(self) -> None:
        self._latest = ""

    def is_write(self, arguments: Optional[Dict[str, Any]]) -> bool:
        """Whether the character of this `nv_feed_key` completes "ZZ", which writes and closes."""
        given = arguments or {}
        character = given.get("character") or given.get("key")
        self._latest = (self._latest + str(character))[-3:]
        if self._latest[-2:] != "ZZ" or (self._latest[:-2] in _TAKES_A_CHARACTER and len(self._latest) > 2):
            return False
        self._latest = ""
        return True
