# SPDX-License-Identifier: Apache-2.0
"""What is measured."""

NAME = "queues"
TITLE = "latency and throughput of single-producer rings, and of a ring behind a mutex"
HEADING = "Queues: what it costs an item to go through"
ONE_WAY = "one-way"
PUSH_POP = "push-pop"
THROUGHPUT = "throughput"
MEASURES = {
    ONE_WAY: "the way of an item to the other thread: there and back over two queues, halved",
    PUSH_POP: "a push and the pop of that item, on one thread",
    THROUGHPUT: "an item of a stream from one thread to the other",
}
REFERENCE = "finegrain-spsc"
MUTEX = "mutex-mpmc"
