"""Campaigns that run every night: what to fuzz, for how long each, the corpora, the log.

Example:

    night = Night(settings, arms)
    night.run()
"""
