"""Whether somebody listens at a port or at a path.

Rule: in doubt somebody does, so that nothing is taken from another process. Blocks: not for the loop or the main
thread.
"""

from __future__ import annotations

import socket
from typing import Tuple, Union

SECONDS = 1.0


def is_answered(address: Union[str, Tuple[str, int]]) -> bool:
    """Whether somebody listens at the path of a socket, or at a host and port of TCP. Never raises."""
    trial = socket.socket(socket.AF_UNIX if isinstance(address, str) else socket.AF_INET, socket.SOCK_STREAM)
    try:
        trial.settimeout(SECONDS)
        trial.connect(address)
    except (ConnectionRefusedError, FileNotFoundError):
        return False
    except OSError:
        return True
    finally:
        trial.close()
    return True
