"""What one fuzz process works on. With the version of CPython it says all that determines the op table.

    job = Job("node", "clean", "asan", "threads")
    Job.from_json(job.to_json()) == job
"""

from dataclasses import asdict, dataclass, field

from refquake_cli.recipe import Recipe


@dataclass(frozen=True)
class Job:
    """A variant under a flavour and a profile, and what a plant there is expected to be found as."""

    target: str
    variant: str
    flavour: str
    profile: str
    expected: tuple[str, ...] = ()
    recipe: Recipe = field(default_factory=Recipe)
    release: str = ""  # "multidict==6.4.3", of a module that was added; "": the one added last

    @property
    def title(self) -> str:
        return f"{self.variant} {self.flavour} {self.profile}"

    def to_json(self) -> dict[str, object]:
        return asdict(self) | {"recipe": self.recipe.to_json()}

    @staticmethod
    def from_json(content: dict) -> "Job":
        rest = {"expected": tuple(content["expected"]), "recipe": Recipe.from_json(content["recipe"])}
        return Job(**{**content, **rest})
