# SPDX-License-Identifier: Apache-2.0
"""Runs LLVM's and gcc's own tests of their OpenMP runtimes, with the drop-in and without."""
