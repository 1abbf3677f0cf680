"""Install Agent Hooks… and Remove Agent Hooks…: our hooks in agents' settings, put there and taken out in a review.

Rule: nothing is written to an agent's file unless the user has seen it and accepts it.
"""
