"""Connect Agent… and Disconnect Agent…: our hooks in the settings of programs, put there and taken out in a review.

Rule: nothing is written to a program's file unless the user has seen it and accepts it.
"""
