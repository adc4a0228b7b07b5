"""Runs the models of tests/model, and shows which memory orders they exercise."""
