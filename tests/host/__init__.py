"""A headless host for Sublime Text packages: the editor's processes, its model and its plugin API.

`python -m tests.host` starts it; `tests.host.driver` drives it from Python.
"""
