"""Which variants a `fuzz` command runs, under which flavours and profiles.

    jobs = plan("node", plant="all", profile=None, flavours=["asan", "tsan"], version="3.14.7")

`plant` is a name, "all" (each plant, and the clean build), or "none" (the clean build only). A plant states its own
profile and flavours; what the person gives on the command line wins.
"""

from dataclasses import replace

from refquake_cli.job import Job
from refquake_cli.targets import CLEAN, Plant, check_variant, known_profiles, plants_of, recipe_of


def plan(target: str, plant: str, profile: str | None, flavours: list[str], version: str) -> list[Job]:
    if plant == "none":
        return clean_jobs(target, profile, flavours, version)
    if plant == "all":
        return plant_jobs(target, profile, flavours, None) + clean_jobs(target, profile, flavours, version)
    for flavour in flavours:
        check_variant(target, plant, flavour)
    jobs = plant_jobs(target, profile, flavours, plant)
    # Named with a flavour that it does not promise to be found under: tried all the same.
    return jobs or [
        replace(job, profile=profile or job.profile) for job in (plant_job(target, plant, f) for f in flavours)
    ]


def clean_jobs(target: str, profile: str | None, flavours: list[str], version: str) -> list[Job]:
    profiles = [profile] if profile else known_profiles()
    recipes = {flavour: recipe_of(target, flavour, version) for flavour in flavours}
    return [Job(target, CLEAN, flavour, name, recipe=recipes[flavour]) for name in profiles for flavour in flavours]


def plant_jobs(target: str, profile: str | None, flavours: list[str], only: str | None) -> list[Job]:
    by_name: dict[str, list[tuple[Plant, str]]] = {}
    for flavour in flavours:
        for plant in plants_of(target, flavour):
            if flavour in plant.flavours and only in (None, plant.name):
                by_name.setdefault(plant.name, []).append((plant, flavour))
    return [
        Job(target, plant.name, flavour, profile or plant.profile, plant.finds)
        for entries in by_name.values()
        for plant, flavour in entries
    ]


def plant_job(target: str, name: str, flavour: str) -> Job:
    """Under any flavour, also where the plant does not promise to be found."""
    [plant] = [plant for plant in plants_of(target, flavour) if plant.name == name]
    return Job(target, name, flavour, plant.profile, plant.finds)
