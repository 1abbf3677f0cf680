"""What a release needs: the libraries' table, the repository file, the packing list and the built package.

Nothing here is shipped with the package or imported by it. Rule: what makes a release (`build`, `repository`, `index`)
needs the standard library only, so that any machine with Python 3.8 or newer and git can make one. What tests install
with (`package_control`, `installation`) needs `packaging`, which the tests' environments have.
"""
