"""`python -m refquake_cli`: the command."""

from refquake_cli import interrupts

interrupts.hold()

from refquake_cli.app import main  # noqa: E402  (what it imports takes a while)

main()
