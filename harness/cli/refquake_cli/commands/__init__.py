"""One module per subcommand, each with its click command as `command`."""
