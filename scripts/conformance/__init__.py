# SPDX-License-Identifier: Apache-2.0
"""Runs LLVM's own tests of its OpenMP runtime, with the drop-in and without: `make conformance`."""
