"""A headless host for Sublime Text packages: the editor's processes, its model and its plugin API.

`tests.host.driver` starts it and drives it.
"""
