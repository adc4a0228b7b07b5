# SPDX-License-Identifier: Apache-2.0
"""Breaks the shipped headers in one place at a time, and shows which check finds it."""
