#!/usr/bin/env python3
"""Writes the zones beside it, as zic compiles them, and expected.txt: what Python's zoneinfo says about them from 1990
to 2060. Run it by hand after a change of the list; the tests read what is committed, whatever tzdata is installed."""

import datetime
import pathlib
import shutil
import subprocess
import tempfile
import zoneinfo

HERE = pathlib.Path(__file__).resolve().parent
SOURCE = "/usr/share/zoneinfo/tzdata.zi"
ZONES = [
    "Africa/Casablanca", "America/New_York", "America/Nuuk", "America/Sao_Paulo", "Asia/Gaza", "Asia/Kolkata",
    "Asia/Tehran", "Australia/Lord_Howe", "Etc/GMT+12", "Europe/Dublin", "Europe/Helsinki", "Pacific/Apia",
]
# The transitions around which local times are probed; among them the day that Apia skipped.
PROBED_YEARS = [1990, 2002, 2010, 2011, 2012, 2026, 2060]
UTC = datetime.timezone.utc
MINUTE = datetime.timedelta(minutes=1)


def offset(zone, instant):
    return int(datetime.datetime.fromtimestamp(instant, zone).utcoffset().total_seconds())


def transitions(zone):
    step = 6 * 3600
    first, last = (int(datetime.datetime(year, 1, 1, tzinfo=UTC).timestamp()) for year in (1990, 2061))
    for low in range(first, last, step):
        high = low + step
        if offset(zone, low) == offset(zone, high):
            continue
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (middle, high) if offset(zone, middle) == offset(zone, low) else (low, middle)
        yield high


def instant(zone, local):
    """Of a local time that does not exist the next one that does, of one that exists twice the first."""
    while True:
        found = local.replace(tzinfo=zone, fold=0).astimezone(UTC)
        if found.astimezone(zone).replace(tzinfo=None) == local:
            return int(found.timestamp())
        local += MINUTE


def probes(zone, change):
    """Local times around the skipped or repeated minutes, and in their middle."""
    shown = datetime.datetime.fromtimestamp(change, UTC).replace(tzinfo=None)
    begin, end = sorted(shown + datetime.timedelta(seconds=offset(zone, change - ago)) for ago in (0, 1))
    return [begin - MINUTE, begin, begin + (end - begin) // 2, end - MINUTE, end]


def compile_zones():
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(["zic", "-b", "slim", "-d", folder, SOURCE], check=True)
        for name in ZONES:
            target = HERE / "zones" / name
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(pathlib.Path(folder) / name, target)


def main():
    compile_zones()
    lines = []
    for name in ZONES:
        with open(HERE / "zones" / name, "rb") as file:
            zone = zoneinfo.ZoneInfo.from_file(file)
        lines.append(f"zone {name}")
        for change in transitions(zone):
            lines.append(f"offset {change} {offset(zone, change - 1)} {offset(zone, change)}")
            if datetime.datetime.fromtimestamp(change, UTC).year in PROBED_YEARS:
                lines += [f"local {local:%Y-%m-%dT%H:%M} {instant(zone, local)}" for local in probes(zone, change)]
        noon = datetime.datetime(2026, 12, 24, 12)
        lines.append(f"local {noon:%Y-%m-%dT%H:%M} {instant(zone, noon)}")
    (HERE / "expected.txt").write_text("\n".join(lines) + "\n")


main()
