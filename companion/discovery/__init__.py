"""Discovery: how an agent finds the editor window to connect to.

Rule: nothing here imports `sublime`. Everything that depends on the machine is passed in as a `Platform`, so that tests
can simulate Windows and macOS. Functions block on the disk: never call them on the main thread.
"""
