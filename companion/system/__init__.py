"""The machine: its platform, its processes, and the process of the editor.

Rule: nothing in here knows the editor's API or an agent.
"""
