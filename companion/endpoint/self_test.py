"""How our own trials introduce themselves to our servers, so that they are counted as no clients.

Rule: the name is of this run alone, so that no client can make itself invisible by it.
"""

import secrets

SELF_TEST = "gemini-companion-self-test-" + secrets.token_hex(16)
