"""The assets of the nightly load: thin covers over the steps of a load, one file per kind."""
