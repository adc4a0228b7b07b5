"""Runs LLVM's own tests of its OpenMP runtime, with the drop-in and without: `make conformance`."""
