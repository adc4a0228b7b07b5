"""From which grain on handing over pays, and whether the controller knows it."""
