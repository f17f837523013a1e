"""Moving data: readers of sources, landing, the nightly load, publishing and the command line.

May import `models` and `pricing`; never imports `dashboards`.
"""
