"""`refquake bench`: how fast is the executor on this machine, and how well are the plants found?"""

from collections.abc import Iterable
from pathlib import Path

import click

from refquake_cli.errors import COULD_NOT_RUN, INTERRUPTED, NOTHING_FOUND, WrongUse
from refquake_cli.files import write_whole
from refquake_cli.flavours import DEFAULT_FLAVOURS, check_flavour
from refquake_cli.schedule_option import schedule_flags, schedule_option
from refquake_cli.sources import DEFAULT_VERSION
from refquake_cli.targets import check_target, known_targets, plants_in_sources


@click.group("bench", invoke_without_command=True)
@click.option("--flavour", "flavours", multiple=True, metavar="asan|tsan|plain", help="May be given more than once.")
@click.pass_context
def command(context: click.Context, flavours: tuple[str, ...]) -> int | None:
    """Run the benchmarks and print what they measured; they judge nothing."""
    if context.invoked_subcommand:
        return None
    from refquake_cli.build import build
    from refquake_cli.ctest import run_bench

    wanted = [check_flavour(flavour) for flavour in dict.fromkeys(flavours or DEFAULT_FLAVOURS)]
    build(wanted)
    return max(run_bench(flavour) for flavour in wanted)


@command.command("truth")
@click.argument("names", nargs=-1, metavar="[TARGET[/PLANT]...]")
@click.option("--flavour", "flavours", multiple=True, metavar="asan|tsan", help="May be given more than once.")
@click.option("--seeds", type=click.IntRange(1), default=10, show_default=True, help="Tries for each plant.")
@click.option("--time", "seconds", type=click.IntRange(1), default=60, show_default=True, help="Seconds for each try.")
@click.option("--rivals", type=click.IntRange(0), default=0, show_default=True,
              help="Tries for each plant with what people use today; 0 leaves them out.")  # fmt: skip
@click.option("--rival-time", type=click.IntRange(1), default=20, show_default=True)
@click.option("--jobs", "workers", type=click.IntRange(1), default=2, show_default=True)
@click.option("--every-flavour", is_flag=True, help="Not only under the first flavour that can find the plant.")
@click.option("--out", type=click.Path(path_type=Path), default=Path("refquake-out/truth"), show_default=True)
def truth(
    names: tuple[str, ...], flavours: tuple[str, ...], seeds: int, seconds: int, rivals: int, rival_time: int,
    workers: int, every_flavour: bool, out: Path,
) -> int:  # fmt: skip
    """Find every plant of the TARGETs, or the PLANTs, again and again; writes ground-truth.md and .json."""
    from refquake_cli import truth as measuring
    from refquake_cli.build import build, to_fuzz
    from refquake_cli.variant_run import Options

    wanted = [check_flavour(flavour) for flavour in dict.fromkeys(flavours or DEFAULT_FLAVOURS)]
    chosen = [_target_or_plant(name) for name in dict.fromkeys(names or known_targets())]
    out.mkdir(parents=True, exist_ok=True)
    control_job = measuring.control_job(wanted[0])
    build(wanted, products=_products([*chosen, (control_job.target, None)], to_fuzz))
    options = Options(seconds, 1, DEFAULT_VERSION, (out / "findings").resolve())
    jobs = measuring.plan_truth(chosen, wanted, every_flavour)
    [control], interrupted = measuring.measure([control_job], [1], options, workers)
    rows, cut_off = measuring.measure(jobs, [] if interrupted else range(1, seeds + 1), options, workers)
    interrupted = interrupted or cut_off
    how = f"{seeds} seeds a plant, each from an empty corpus, at most {seconds} s, {workers} processes side by side."
    how += " Interrupted before the last." if interrupted else ""

    def write(how: str) -> None:
        _write(out / "ground-truth", measuring.markdown(rows, control, how), measuring.json_text(rows, control))

    write(how)
    if rivals and not interrupted:
        measuring.add_rivals([*rows, control], [*jobs, control_job], rival_time, rivals, workers)
        write(f"{how} The last three columns: {rivals} tries of {rival_time} s.")
    print(measuring.summary(rows, control))
    print(f"written to {out}/ground-truth.md")
    if interrupted:
        return INTERRUPTED
    return NOTHING_FOUND if control.silent else COULD_NOT_RUN


def _target_or_plant(given: str) -> tuple[str, str | None]:
    return _one_plant(given) if "/" in given else (check_target(given, DEFAULT_VERSION), None)


def _write(path: Path, markdown: str, json: str) -> None:
    write_whole(path.with_suffix(".json"), json)
    write_whole(path.with_suffix(".md"), markdown)


def _earnings(function):
    """The arguments of the benchmarks that compare arms."""
    for decorate in (
        click.option("--out", type=click.Path(path_type=Path), default=Path("refquake-out/bench"), show_default=True),
        click.option("--jobs", "workers", type=click.IntRange(1), default=2, show_default=True),
        click.option("--time", "seconds", type=click.IntRange(1), default=10, show_default=True, help="For each try."),
        click.option("--seeds", type=click.IntRange(1), default=10, show_default=True, help="Tries for each plant."),
        click.option("--flavour", type=click.Choice(DEFAULT_FLAVOURS), default="asan", show_default=True),
        click.argument("plants", nargs=-1, required=True, metavar="TARGET/PLANT..."),
    ):
        function = decorate(function)
    return function


@command.command("mutators")
@_earnings
def mutators(**given) -> int:
    """Find the PLANTs with all mutators and without each in turn; writes mutators.md and .json."""
    from refquake_cli.earnings import MUTATOR_ARMS

    return _compare("mutators", "What the mutators earn", MUTATOR_ARMS, **given)


@command.command("feedback")
@_earnings
def feedback(**given) -> int:
    """Find the PLANTs with nothing but edges fed back, with each part, with all; writes feedback.md and .json."""
    from refquake_cli.earnings import FEEDBACK_ARMS

    return _compare("feedback", "What the feedback earns", FEEDBACK_ARMS, **given)


@command.command("schedule")
@_earnings
def schedule(**given) -> int:
    """Find the PLANTs with lanes mixed, all free and all stepped; writes schedule.md and .json."""
    from refquake_cli.earnings import SCHEDULE_ARMS

    return _compare("schedule", "What stepped lanes earn", SCHEDULE_ARMS, **given)


def _compare(
    name: str, title: str, arms: list, plants: tuple[str, ...], flavour: str, seeds: int, seconds: int, workers: int,
    out: Path,
) -> int:  # fmt: skip
    from refquake_cli import earnings
    from refquake_cli.build import build, to_fuzz
    from refquake_cli.fuzz_plan import clean_jobs, plan
    from refquake_cli.variant_run import Options

    named = [_one_plant(given) for given in dict.fromkeys(plants)]
    build([flavour], products=_products(named, to_fuzz))
    jobs = [job for target, plant in named for job in plan(target, plant, None, [flavour], DEFAULT_VERSION)]
    clean = [job for target in dict(named) for job in clean_jobs(target, "threads", [flavour], DEFAULT_VERSION)]
    out.mkdir(parents=True, exist_ok=True)
    options = Options(seconds, 1, DEFAULT_VERSION, (out / "findings").resolve())
    rows, interrupted = earnings.measure(arms, jobs, clean, range(1, seeds + 1), options, workers)
    if not rows[0].tries:
        print("interrupted before every arm had its first seed: nothing written")
        return INTERRUPTED
    how = f"{flavour}, {seeds} seeds, each from an empty corpus, at most {seconds} s, {workers} processes side by side."
    how += " Interrupted before the last." if interrupted else ""
    _write(out / name, earnings.markdown(title, rows, how), earnings.json_text(rows))
    print(f"written to {out}/{name}.md")
    return INTERRUPTED if interrupted else NOTHING_FOUND


def _products(plants: Iterable[tuple[str, str | None]], to_fuzz) -> list[str]:
    return list(dict.fromkeys(product for target, _ in plants for product in to_fuzz(target)))


def _one_plant(given: str) -> tuple[str, str]:
    """Target and plant, from what the sources say: a wrong name is told before anything is built."""
    target, _, plant = given.partition("/")
    names = plants_in_sources(check_target(target, DEFAULT_VERSION))
    if plant not in names:
        raise WrongUse(f"{given} is not TARGET/PLANT; the plants of {target}: {', '.join(names) or 'none'}")
    return target, plant


@command.command("replays")
@click.argument("name", metavar="TARGET", default="node")
@click.option("--flavour", type=click.Choice(DEFAULT_FLAVOURS), default="tsan", show_default=True)
@click.option("--programs", "count", type=click.IntRange(1), default=200, show_default=True)
@click.option(
    "--times", type=click.IntRange(2), default=100, show_default=True, help="Fresh processes for each program."
)
@click.option(
    "--time", "seconds", type=click.IntRange(1), default=60, show_default=True, help="Of the campaign before."
)
@click.option("--busy", type=click.IntRange(0), default=2, show_default=True, help="Endless loops beside the runs.")
@click.option("--jobs", "workers", type=click.IntRange(1), default=2, show_default=True)
@click.option("--out", type=click.Path(path_type=Path), default=Path("refquake-out/replays"), show_default=True,
              help="Where programs go whose runs differ.")  # fmt: skip
def replays(name: str, flavour: str, count: int, times: int, seconds: int, busy: int, workers: int, out: Path) -> int:
    """Replay stepped programs of a campaign again and again; says how often they ran the same way."""
    from refquake_cli import replays as measuring
    from refquake_cli.build import build, to_fuzz
    from refquake_cli.console import Progress
    from refquake_cli.job import Job
    from refquake_cli.scratch import scratch_folder
    from refquake_cli.targets import CLEAN

    job = Job(check_target(name, DEFAULT_VERSION), CLEAN, flavour, "threads")
    build([job.flavour], products=to_fuzz(name))
    with scratch_folder("replays") as scratch:
        with Progress() as progress, measuring.busy_loops(busy):
            task = progress.task(job.title)
            task.step("gather programs")
            programs = measuring.gather(job, count, seconds, scratch)
            task.step(f"run each {times} times")
            tallies, interrupted = measuring.replay_all(job, programs, times, workers, task.note)
            task.done("interrupted" if interrupted else "done")
        tallies = measuring.keep_differing(tallies, out)
    print(measuring.summary(tallies))
    return INTERRUPTED if interrupted else NOTHING_FOUND


@command.command("reproducers")
@click.argument("plants", nargs=-1, metavar="[TARGET/PLANT...]")
@click.option("--flavour", type=click.Choice(DEFAULT_FLAVOURS), default="asan", show_default=True)
@schedule_option
@click.option("--time", "seconds", type=click.IntRange(1), default=30, show_default=True, help="To find each plant.")
@click.option("--seed", type=click.IntRange(1), default=1, show_default=True)
@click.option("--replays", "times", type=click.IntRange(1), default=5, show_default=True)
@click.option("--jobs", "workers", type=click.IntRange(1), default=2, show_default=True)
@click.option("--out", type=click.Path(path_type=Path), default=Path("refquake-out/reproducers"), show_default=True)
def reproducers(
    plants: tuple[str, ...], flavour: str, schedule: str, seconds: int, seed: int, times: int, workers: int, out: Path
) -> int:  # fmt: skip
    """Find the PLANTs (all of them), minimise and replay what was found; writes reproducers.md and .json."""
    from refquake_cli import reproducers as measuring
    from refquake_cli.build import build, to_fuzz
    from refquake_cli.fuzz_plan import plant_job, plant_jobs
    from refquake_cli.variant_run import Options

    named = [_one_plant(given) for given in dict.fromkeys(plants)]
    build([flavour], products=_products(named, to_fuzz) or ["all"])
    if named:
        jobs = [plant_job(target, plant, flavour) for target, plant in named]
    else:
        jobs = [job for target in known_targets() for job in plant_jobs(target, None, [flavour], None)]
    out.mkdir(parents=True, exist_ok=True)
    flags = schedule_flags(schedule)
    options = Options(seconds, seed, DEFAULT_VERSION, (out / "findings").resolve(), flags=flags)
    rows, interrupted = measuring.measure(jobs, options, times, workers)
    how = f"{flavour}, lanes {schedule}, seed {seed}, at most {seconds} s to find each; {times} replays."
    how += " Interrupted before the last." if interrupted else ""
    _write(out / "reproducers", measuring.markdown("Reproducers", rows, how), measuring.json_text(rows))
    print(measuring.summary(rows))
    print(f"written to {out}/reproducers.md")
    return INTERRUPTED if interrupted else NOTHING_FOUND
