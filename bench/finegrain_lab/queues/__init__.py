# SPDX-License-Identifier: Apache-2.0
"""Queues between two threads: latency and throughput of single-producer rings and of a mutex."""
