"""The agents: programs that connect to the editor. Each has one module and one line in `registry`.

Rule: no code outside of this folder names an agent, except the table of settings, which has each agent's own.
Everything is pure: it uses neither the editor nor the network nor the disk.
"""
