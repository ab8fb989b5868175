"""Shared by the checks of compose and the chart: the list of problems, and facts about the programs."""

import functools
import os
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
BUILT = ROOT / ".build" / os.environ.get("CONFIGURATION", "debug")
TOOLS = ROOT / ".venv" / "bin"
problems = []


def check(holds, problem):
    if not holds:
        problems.append(problem)


def finish():
    for problem in problems:
        print(problem, file=sys.stderr)
    sys.exit(1 if problems else 0)


def read(path):
    return (ROOT / path).read_text()


@functools.cache
def help_of(program):
    return subprocess.run([BUILT / program, "--help"], capture_output=True, text=True, check=True).stdout


@functools.cache
def variables_of(program):
    """Every variable that the program reads, with its default."""
    text = help_of(program)
    if program == "carillon":
        text = subprocess.run(
            [BUILT / program, "help", "environment"], capture_output=True, text=True, check=True
        ).stdout
    variables = dict(re.findall(r"^  (CARILLON_\w+)\n(?:.*\n)*?      Default: (.*)$", text, re.MULTILINE))
    return variables | dict.fromkeys(re.findall(r"CARILLON_\w+_FILE", text), "none")


@functools.cache
def commands_of_package():
    return set(re.findall(r'program\("([a-z-]+)", of: "\w+"\)', read("Package.swift")))


@functools.cache
def secrets_of(program):
    """The kinds of secrets that the program reads besides the app files; None if it reads no app files. The table of
    the page has them, which a test compares with the code."""
    if program not in commands_of_package():
        raise ValueError(f"{program} is not a program of the package")
    table = read("docs/security.md").split("## Who reads which secret")[1].split("\n## ")[0]
    kinds = set(re.findall(rf"^\|[^|]*\| `(\w+)` \| `{re.escape(program)}` \|$", table, re.MULTILINE))
    if bool(kinds) != ("CARILLON_APPS" in variables_of(program)):
        raise ValueError(f"{program}: docs/security.md and --help disagree about whether it reads app files")
    return kinds or None


def secret_problems(kinds, mounted, absent=frozenset()):
    """The problems of the paths mounted in a service that reads these kinds of secrets; None means not even app files.
    `absent` are paths that no service has."""
    needed = set() if kinds is None else {"/etc/carillon/apps"} | {f"/etc/carillon/secrets/{kind}" for kind in kinds}
    for path in sorted(mounted - needed):
        yield f"it has {path}, which it does not read"
    for path in sorted(needed - mounted - absent):
        yield f"it does not have {path}, which it reads"


@functools.cache
def partitions_of_channels():
    """Every topic and lane that `carillon topics create` creates, with its number of partitions."""
    plan = subprocess.run(
        [BUILT / "carillon", "topics", "create", "--dry-run", "--bus", "kafka://localhost:9092"],
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    return {name: int(count) for name, count in re.findall(r"if missing, (\S+): (\d+) partitions", plan)}
