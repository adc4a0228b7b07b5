# SPDX-License-Identifier: Apache-2.0
"""Tasks on every runtime: the experiments that differ in what is spawned and what is made of it."""
