"""Diagnosis: the report that explains how the package is doing, with tests that really run.

Rule: gathering what is known, trying what should work, and wording the report stand in separate files. Nothing secret
and no text of the user's gets into the report, so that it can be pasted into a public place.
"""

import secrets

# How our own tests introduce themselves to our servers: they are no clients. Of this run alone, so that no client can
# make itself invisible by its name.
SELF_TEST = "gemini-companion-self-test-" + secrets.token_hex(16)
