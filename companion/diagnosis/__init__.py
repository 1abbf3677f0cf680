"""Diagnosis: the report that explains how the package is doing, with tests that really run.

Rule: what the report holds and how it reads, what is tried, and the command itself stand in separate files. Nothing
secret and no text of the user's gets into the report, so that it can be pasted into a public place.
"""
