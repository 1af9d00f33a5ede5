"""Histograms of one and several variables, against NumPy."""


