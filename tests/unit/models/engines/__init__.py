"""The port, on each of its engines."""
