"""What a release needs: the libraries' table, the repository file, the packing list and the built package.

Nothing here is shipped with the package or imported by it. Rule: building the package (`build`) needs the standard
library only, so that any machine with Python 3.8 or newer and git can do it. Choosing wheels needs `packaging` besides,
which the tests' environments have and the workflows install.
"""
