"""Devices, sets of them, and what is on its way to them."""
