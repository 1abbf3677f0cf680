"""Discovery: how a command line client finds the editor window it should talk to.

Rule: nothing in here imports `sublime`. What depends on the machine comes in as a `Platform`, so that a test can be on
Windows or macOS. Calls are plain blocking file calls; whoever has a main thread keeps them off it.
"""
