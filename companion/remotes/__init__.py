"""Agents that run elsewhere than the editor: behind ssh, in a container, in WSL.

Rule: whatever comes from the other side is judged as if an attacker had sent it.
"""
