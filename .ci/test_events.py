"""The results in the event streams of the last test run: one outcome for every planned test."""

import json
import pathlib

FOLDER = pathlib.Path(__file__).resolve().parent.parent / ".build" / "test-events"
# The stream has no kind of issue, only its text.
TIME_LIMIT = "Time limit was exceeded"


class Outcomes:
    """The streams list every test before the first one starts, so a run that crashed or hung is counted completely: a
    test that never ended has failed."""

    def __init__(self, paths):
        self.planned, self.ended, self.skipped = set(), set(), set()
        self.stories = {}
        # Tests that never ended or exceeded their time limit.
        self.timed_out = set()
        for path in paths:
            for record in records(path):
                self.take(record["kind"], record["payload"])
        self.planned -= self.skipped
        for test in self.planned - self.ended:
            self.timed_out.add(test)
            self.stories.setdefault(test, []).append("never ended")

    def take(self, kind, payload):
        test = payload.get("testID")
        if kind == "test" and payload["kind"] == "function":
            self.planned.add(payload["id"])
        elif payload["kind"] == "testEnded":
            self.ended.add(test)
        elif payload["kind"] == "testSkipped":
            self.skipped.add(test)
        elif payload["kind"] == "issueRecorded" and is_failure(payload.get("issue", {})):
            self.stories.setdefault(test, []).append(story(payload))
            if TIME_LIMIT in self.stories[test][-1]:
                self.timed_out.add(test)

    @property
    def failed(self):
        """An issue outside any test (of a detached task) fails the run as a separate test, whose name is None."""
        return set(self.stories)

    @property
    def passed(self):
        return self.planned - self.failed

    def tell(self, tests):
        for test in sorted(tests, key=str):
            for text in self.stories[test]:
                print(f"failed: {test or 'outside any test'}: {text}", flush=True)


def first_runs():
    return Outcomes(sorted(set(FOLDER.glob("*.jsonl")) - set(FOLDER.glob("repeated-*.jsonl"))))


def repeated_runs():
    return Outcomes(sorted(FOLDER.glob("repeated-*.jsonl")))


def records(path):
    for line in path.read_text(encoding="utf-8", errors="replace").splitlines():
        try:
            yield json.loads(line)
        except ValueError:
            # The last line of a killed run may be incomplete.
            return


def is_failure(issue):
    return not issue.get("isKnown", False) and issue.get("severity", "error") == "error"


def story(payload):
    place = payload.get("issue", {}).get("sourceLocation", {})
    file = place.get("fileID") or place.get("_filePath", "")
    texts = "; ".join(message["text"] for message in payload.get("messages", []))
    return f"{file}:{place.get('line', '?')} {texts[:1000]}"
