# SPDX-License-Identifier: Apache-2.0
"""Runs the models of tests/model, and shows which memory orders they exercise."""
