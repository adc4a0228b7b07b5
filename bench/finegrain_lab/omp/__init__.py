# SPDX-License-Identifier: Apache-2.0
"""OpenMP programs as they are: on their own runtime, and with the drop-in on finegrain's queues."""
