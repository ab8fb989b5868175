"""A page that listens with an EventSource, with a ticket, from another origin than the service, which is killed twice
while pushes are sent. The page must have each push once."""

import sys

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

    def missing():
        return sorted(set(range(PUSHES)) - set(page.value("numbers")))

    wait("the page has every push", lambda: not missing(), found=lambda: f"{missing()} are missing")
    # A push that came twice would have come again before this one.
    push(pipeline, PUSHES)
    wait("the page has the last push", lambda: PUSHES in page.value("numbers"))
    numbers, gaps, opens = (page.value(name) for name in ("numbers", "gaps", "opens"))
    if sorted(numbers) != list(range(PUSHES + 1)) or gaps:
        sys.exit(f"failed: the page has {numbers}, and {gaps} gaps")
    print(f"{PUSHES + 1} pushes, each once, over {opens} connections")


def push(pipeline, number):
    message = {"body": "x", "data": {"number": number}}
    pipeline.post("/v1/tasks", {"audience": {"topic": "sports"}, "message": message})
