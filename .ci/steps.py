"""Shared by the checks that set up whole systems: commands, steps, waits, and the lists of packages.apt."""

import subprocess
import time

from checks import read

PATIENCE_SECONDS = 180


class Failure(Exception):
    pass


def run(*command, **options):
    result = subprocess.run([str(word) for word in command], capture_output=True, text=True, **options)
    if result.returncode != 0:
        raise Failure(f"{' '.join(map(str, command))}: status {result.returncode}\n{result.stdout}{result.stderr}")
    return result.stdout


def step(text):
    print(f"{time.strftime('%H:%M:%S')} {text}", flush=True)


def until(what, holds, pause=0.2):
    end = time.monotonic() + PATIENCE_SECONDS
    while not (found := holds()):
        if time.monotonic() > end:
            raise Failure(f"{what}: timeout after {PATIENCE_SECONDS} s")
        time.sleep(pause)
    return found


def packages(section):
    text = read("packages.apt").split(f"[{section}]\n")[1].split("\n[")[0]
    return [line for line in text.splitlines() if line and not line.startswith("#")]
