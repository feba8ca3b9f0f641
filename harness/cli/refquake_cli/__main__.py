"""`python -m refquake_cli`: the command."""

from refquake_cli.app import main

main()
