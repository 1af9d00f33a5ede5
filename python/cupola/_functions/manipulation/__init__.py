"""Shapes and places of elements."""
