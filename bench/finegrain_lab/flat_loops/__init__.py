"""Loops of tasks that spawn nothing: the experiments that differ only in what they vary."""
