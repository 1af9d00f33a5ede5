"""Extremes, quantiles, counts, covariances."""
