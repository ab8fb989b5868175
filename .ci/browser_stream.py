"""A page that listens with an EventSource, with a ticket, from another origin than the service, which is killed twice
while pushes are sent. The page must have each push once."""

import sys
import time

from browser import serve, wait

PUSHES = 60
# Numbers of the pushes after which the service is killed, and how many follow before the page is waited for.
KILLS = [20, 40]
PUSHES_MISSED = 5

PAGE = """<!doctype html><title>listener</title><script>
  window.numbers = []; window.gaps = 0; window.opens = 0;
  window.source = new EventSource("%s");
  source.onopen = () => opens++;
  source.onmessage = message => numbers.push(JSON.parse(message.data).data.number);
  source.addEventListener("gap", () => gaps++);
</script>"""


def check(pipeline, browser):
    ticket = pipeline.post("/v1/stream-tickets", {"topics": ["sports"], "life": "1h"})["ticket"]
    stream = f"{pipeline.announcement['stream']}/subscribe?events=sports&ticket={ticket}"
    page = browser.open(serve(PAGE % stream))
    wait("the page opened its stream", lambda: page.value("source.readyState") == 1)
    for number in range(PUSHES):
        push(pipeline, number)
        if number in KILLS:
            killed = pipeline.kill("event-stream")
            wait("event-stream was restarted", lambda: pipeline.process_id("event-stream") not in (None, killed))
        # Meanwhile pushes are sent that the page learns of only when it is back.
        if number - PUSHES_MISSED in KILLS:
            opens = 2 + KILLS.index(number - PUSHES_MISSED)
            wait("the page opened its stream again", lambda: page.value("opens") >= opens)
    wait("the page had every push", lambda: len(page.value("numbers")) >= PUSHES)
    # What came twice would follow at once.
    time.sleep(1)
    numbers, gaps, opens = (page.value(name) for name in ("numbers", "gaps", "opens"))
    if sorted(numbers) != list(range(PUSHES)) or gaps:
        sys.exit(f"failed: the page has {numbers}, and {gaps} gaps")
    print(f"{PUSHES} pushes, each once, over {opens} connections")


def push(pipeline, number):
    message = {"body": "x", "data": {"number": number}}
    pipeline.post("/v1/tasks", {"audience": {"topic": "sports"}, "message": message})
