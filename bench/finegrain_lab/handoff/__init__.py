"""The round trip of a task: every queue, wait policy and placement, over the floor."""
