"""Diagnosis: the report that explains how the package is doing, with tests that really run.

Rule: gathering what is known, trying what should work, and wording the report stand in separate files. Nothing secret
and no text of the user's gets into the report, so that it can be pasted into a public place.
"""
