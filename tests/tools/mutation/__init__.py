"""Small faults for the package, to see which of them no test notices: made by rules, or listed by hand.

`operators.py` makes faults of a module's syntax tree, `hand_made.py` reads the list of those that no rule can make,
`copies.py` plants them in copies of the tree and runs tests there. `tests/mutants.py` is the command.
"""
