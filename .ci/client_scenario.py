"""Uses the client that openapi-python-client generates, found on PYTHONPATH, as a publisher would; fails if anything
differs from what the API's document promises."""

import datetime
import os
import time
import uuid

from carillon_client import AuthenticatedClient
from carillon_client.api.devices import read_device, register_device
from carillon_client.api.tasks import cancel_task, create_task, list_tasks, read_report, read_task
from carillon_client.models import (
    CreatedTask, DetailedProblem, Device, DeviceProtocol, Message, NewDevice, NewTask, TaskReport, TaskState, TaskStatus
)
from carillon_client.types import Unset

DEADLINE_SECONDS = 30
TOKEN = "0123456789ABCDEF" * 4
client = AuthenticatedClient(base_url=os.environ["CARILLON_URL"], token=os.environ["CARILLON_KEY"])


def expect(holds, value):
    if not holds:
        raise SystemExit(f"unexpected: {value}")
    return value


def register():
    body = NewDevice(protocol=DeviceProtocol.APNS, token=TOKEN, language="fr", topics=["clients"])
    answer = register_device.sync_detailed(client=client, body=body)
    device = expect(answer.status_code == 201 and isinstance(answer.parsed, Device), answer).parsed
    read = read_device.sync(client=client, id=device.id)
    expect(read == device and device.language == "fr" and device.topics[0].name == "clients", read)
    return device


def send(device, **options):
    """A repeat with the same key is the same task."""
    body = NewTask(devices=[device.id], message=Message(title="Goal", body="2:1"), **options)
    key = str(uuid.uuid4())
    first, second = (create_task.sync(client=client, body=body, idempotency_key=key) for _ in range(2))
    expect(isinstance(first, CreatedTask) and first == second, (first, second))
    return first.id


def closed(task):
    deadline = time.monotonic() + DEADLINE_SECONDS
    while True:
        status = read_task.sync(client=client, id=str(task))
        expect(isinstance(status, TaskStatus) and time.monotonic() < deadline, status)
        if status.state == TaskState.CLOSED:
            return status
        time.sleep(0.1)


def check_push(device):
    task = send(device)
    counts = closed(task).counts
    expect((counts.targeted, counts.delivered, counts.open_) == (1, 1, 0), counts)
    report = read_report.sync(client=client, id=str(task))
    expect(isinstance(report, TaskReport) and report.task == task and not report.cancelled, report)
    expect((report.counts.targeted, report.counts.delivered) == (1, 1), report)
    expect(report.by_platform.ios.delivered == 1 and isinstance(report.by_platform.android, Unset), report)


def check_cancel(device):
    tomorrow = datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(days=1)
    task = send(device, send_at=tomorrow)
    waiting = read_task.sync(client=client, id=str(task))
    expect(waiting.state == TaskState.SCHEDULED and abs(waiting.send_at - tomorrow).total_seconds() < 1, waiting)
    cancelled = cancel_task.sync(client=client, id=str(task))
    expect(isinstance(cancelled, TaskStatus) and cancelled.cancelled, cancelled)
    status = closed(task)
    expect(status.cancelled and status.counts.delivered == 0, status)


def check_problem(device):
    problem = create_task.sync(client=client, body=NewTask(devices=[device.id]))
    expect(isinstance(problem, DetailedProblem) and problem.status == 400 and problem.errors, problem)
    page = list_tasks.sync(client=client)
    expect(len(page.tasks) == 2 and page.next_ is None, page)


device = register()
check_push(device)
check_cancel(device)
check_problem(device)
