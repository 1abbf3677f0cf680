"""From the editor into the terminal of a client: environment, command lines, mentions.

Rules: everything but the launcher and the processes is pure. Nothing in here knows a token, so none can get into a
terminal.
"""
