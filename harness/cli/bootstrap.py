"""Makes the command's virtual environment on first use, then becomes the command.

    python3 bootstrap.py --check              exit 0 if this Python is new enough
    python3 bootstrap.py ROOT [ARGUMENTS]     run `refquake ARGUMENTS` of the repository at ROOT

Standard library only. The environment lies in the cache, named after its requirements and this Python, so
another Python or another pin makes another environment. It is built beside its final name and renamed: an
interrupted run leaves nothing that looks finished. Whatever packages the system's Python has, or refuses to
have, does not matter.
"""

import sys

if sys.version_info < (3, 11):  # noqa: UP036
    sys.exit(3)
if sys.argv[1:] == ["--check"]:
    sys.exit(0)

import os  # noqa: E402  (the check above must run on any Python, and fast)

COULD_NOT_RUN = 3
INTERRUPTED = 130


def cache_folder() -> str:
    base = os.environ.get("XDG_CACHE_HOME", "")
    if not os.path.isabs(base):  # to be ignored then (XDG Base Directory Specification)
        base = os.path.join(os.path.expanduser("~"), ".cache")
    return os.path.join(base, "refquake")


def environment_folder(requirements: bytes) -> str:
    import hashlib

    identity = requirements + sys.version.encode() + sys.base_prefix.encode()
    return os.path.join(cache_folder(), "venv-" + hashlib.sha256(identity).hexdigest()[:12])


def say(text: str) -> None:
    print("refquake: " + text, file=sys.stderr, flush=True)


def fail(text: str) -> None:
    say(text)
    sys.exit(COULD_NOT_RUN)


def install_venv_module() -> None:
    """Debian splits `venv` from its Python: install it as root, otherwise say what to install."""
    import shutil
    import subprocess

    packages = ["python3-venv"]
    command = "apt-get install " + " ".join(packages)
    can_install = os.geteuid() == 0 and shutil.which("apt-get") and not os.environ.get("REFQUAKE_NO_INSTALL")
    if not can_install:
        fail(f"{sys.executable} cannot make virtual environments: run `{command}` as root, then try again")
    say(f"this Python cannot make virtual environments: {command}")
    quiet = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    for step in (["apt-get", "update", "-q"], ["apt-get", "install", "-qy", *packages]):
        if subprocess.run(step, env=quiet, stdout=sys.stderr).returncode != 0:
            fail(f"`{' '.join(step)}` failed: run it by hand, then try again")


def make_environment(final: str, requirements_file: str) -> None:
    import shutil
    import subprocess

    try:
        import ensurepip  # noqa: F401  (absent on a bare Debian; `venv` itself is always there)
        import venv  # noqa: F401
    except ImportError:
        install_venv_module()
    beside = f"{final}.{os.getpid()}.part"
    say(f"first use: making the command's own Python environment in {final}")
    environment = {**os.environ, "PIP_DISABLE_PIP_VERSION_CHECK": "1", "PIP_NO_INPUT": "1"}
    environment.pop("PYTHONPATH", None)
    steps = (
        [sys.executable, "-I", "-m", "venv", "--clear", beside],
        [os.path.join(beside, "bin", "python"), "-m", "pip", "install", "-q", "-r", requirements_file],
    )
    try:
        for step in steps:
            done = subprocess.run(step, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
            if done.returncode != 0:
                print(done.stdout[-2000:], file=sys.stderr)
                fail(f"could not make the Python environment: `{' '.join(step)}` failed (its last lines are above)")
        os.rename(beside, final)
    finally:
        shutil.rmtree(beside, ignore_errors=True)


def ensure_environment(final: str, requirements_file: str) -> None:
    import fcntl

    os.makedirs(os.path.dirname(final), exist_ok=True)
    with open(os.path.join(cache_folder(), "venv.lock"), "w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            say("waiting: another refquake is making the Python environment")
            fcntl.flock(lock, fcntl.LOCK_EX)
        if not os.path.exists(final):
            make_environment(final, requirements_file)


def interrupts_wait() -> None:
    """Until the command takes them (refquake_cli/interrupts.py): a Python that starts answers with a stack."""
    import signal

    signal.pthread_sigmask(signal.SIG_BLOCK, (signal.SIGINT, signal.SIGTERM, signal.SIGHUP))


def main() -> None:
    root, arguments = sys.argv[1], sys.argv[2:]
    package_folder = os.path.join(root, "harness", "cli")
    requirements_file = os.path.join(package_folder, "requirements.txt")
    with open(requirements_file, "rb") as stream:
        final = environment_folder(stream.read())
    if not os.path.exists(final):
        try:
            ensure_environment(final, requirements_file)
        except OSError as error:
            fail(f"could not make the Python environment: {error}")
    # What is set for other Pythons (a home, a hash seed) must not keep this one from starting.
    for name in [name for name in os.environ if name.startswith("PYTHON")]:
        del os.environ[name]
    os.environ["PYTHONPATH"] = package_folder
    python = os.path.join(final, "bin", "python")
    interrupts_wait()
    os.execv(python, [python, "-m", "refquake_cli", *arguments])


if __name__ == "__main__":
    try:
        main()
    except KeyboardInterrupt:
        say("interrupted; the same command goes on from here")
        sys.exit(INTERRUPTED)
