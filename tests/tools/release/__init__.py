"""What a release needs: the libraries' table, the repository file, the packing list and the built package.

Nothing here is shipped with the package or imported by it. Rule: standard library only, Python 3.8 and newer,
so that a release can be made on a machine that has nothing but Python and git.
"""
