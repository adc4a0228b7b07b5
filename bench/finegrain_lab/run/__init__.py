# SPDX-License-Identifier: Apache-2.0
"""Runs the samples of an experiment and writes them down; needs Python 3.8 and nothing else."""
