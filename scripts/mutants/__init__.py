"""Breaks the shipped headers in one place at a time, and shows which check finds it."""
