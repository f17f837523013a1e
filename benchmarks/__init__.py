"""What the machine can do and how near we come: ratios measured in one run, never timed tests."""
