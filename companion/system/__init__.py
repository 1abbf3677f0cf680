"""The operating system: the platform, processes, and the editor's process.

Rule: nothing here uses the editor's API or knows an agent.
"""
