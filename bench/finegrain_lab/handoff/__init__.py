# SPDX-License-Identifier: Apache-2.0
"""The round trip of a task: every queue, wait policy and placement, over the floor."""
