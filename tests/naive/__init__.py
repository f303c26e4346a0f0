"""Slow, obvious twins of the core's kernels."""
