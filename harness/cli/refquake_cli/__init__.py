"""The `refquake` command: sets up interpreters, builds, drives the fuzz binaries as processes, reads their reports."""
