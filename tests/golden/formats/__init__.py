"""Samples of published log formats and the canonical values each of their records must give."""
