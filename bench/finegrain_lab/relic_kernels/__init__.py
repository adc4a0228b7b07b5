"""The Relic paper's experiment."""
