"""What is deployed, checked without an engine."""
