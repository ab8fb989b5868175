"""A running pipeline with simulated providers, for the checks that need one."""

import contextlib
import json
import pathlib
import signal
import subprocess
import sys

from checks import BUILT


@contextlib.contextmanager
def pipeline(folder):
    """The address of the API and the key of the app `news`. The pipeline's data is in `data` below the folder."""
    log = folder / "up.log"
    with log.open("w") as errors:
        process = subprocess.Popen(
            [BUILT / "carillon", "up", "--simulator", "--app", "news", "--json", "--data", folder / "data"],
            stdout=subprocess.PIPE, stderr=errors, text=True,
        )
        try:
            # The command gives up by itself after two minutes.
            line = process.stdout.readline()
            if not line:
                sys.exit(f"carillon up does not start: {log.read_text()[-2000:]}")
            ready = json.loads(line)
            yield ready["url"], pathlib.Path(ready["key_file"]).read_text().strip()
        finally:
            process.send_signal(signal.SIGTERM)
            process.wait(60)
