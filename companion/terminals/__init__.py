"""The ways from the editor into a client's terminal: environment, command lines, mentions, the status bar's words.

Rule: everything but the launcher and the processes is pure. Nothing in here knows a token, so none can get into a
terminal.
"""
