"""Helpers for the tests that run inside the editor. Nothing in here is a test."""
