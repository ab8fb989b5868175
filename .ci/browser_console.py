"""The console, as an operator uses it: sign-in, a broadcast to many simulated devices, cancel, a device's why, a dead
letter, a Live Activity, and a revoked key. Hostile texts stay texts, nothing violates the page's policy, nothing moves
while numbers change, and the key stays nowhere."""

import importlib.util
import json
import os
import pathlib
import re
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.parse
import urllib.request
from datetime import datetime, timedelta, timezone

from browser import PATIENCE_SECONDS, PROGRAMS, ROOT, expect, wait

DEVICES = int(os.environ.get("DEVICES", "50000"))
FILES_BYTES_MAXIMUM = 100_000
PAINT_MILLISECONDS_MAXIMUM = 300
HEAP_BYTES_MAXIMUM = 50_000_000
SHIFT_MAXIMUM = 0.01
# More than any broadcast takes.
BROADCAST_SECONDS = PATIENCE_SECONDS + DEVICES / 1_000
PAGES = ["now", "compose", "scheduled", "activities", "audiences", "devices", "campaigns", "pipeline", "letters", "app"]

HOSTILE = "<img src=x onerror=window.hacked=1></script><script>window.hacked=1</script>\u202eevil\u2066"
HOSTILE_LABEL = "<img src=x onerror=window.hacked=1>"
LONG = HOSTILE + "x" * 3_800

POLICY = {
    "default-src": "'none'",
    "script-src": "'self'",
    "style-src": "'self'",
    "connect-src": "'self'",
    "base-uri": "'none'",
    "frame-ancestors": "'none'",
    "form-action": "'none'",
}

# Frames whose gap is longer than two of 60 a second.
COUNT_FRAMES = """
  window.frames_ = { count: 0, late: 0, worst: 0 };
  let last = performance.now();
  const frame = (now) => {
    const gap = now - last;
    last = now;
    frames_.count += 1;
    if (gap > 34) frames_.late += 1;
    frames_.worst = Math.max(frames_.worst, gap);
    requestAnimationFrame(frame);
  };
  requestAnimationFrame(frame);
"""

# Changes of the layout that no input caused, of the whole life of the page.
WATCH_SHIFTS = """
  window.shifts_ = [];
  new PerformanceObserver((list) => shifts_.push(...list.getEntries().filter((one) => !one.hadRecentInput)))
    .observe({ type: "layout-shift", buffered: true });
"""
SHIFTS_SINCE = """
  shifts_.filter((one) => one.startTime >= shiftsBegin_).map((one) => ({ value: one.value,
    nodes: one.sources.map(({ node }) => (node?.outerHTML ?? node?.parentElement?.outerHTML ?? "").slice(0, 120)) }))
"""


def check(pipeline, browser):
    console = Console(pipeline, browser)
    headers(pipeline)
    files(pipeline)
    console.read_only()
    console.sign_in()
    console.keyboard()
    console.first_paint()
    register(pipeline)
    console.broadcast()
    console.broadcast_on_now()
    console.hide()
    console.cancel()
    console.why()
    console.hostile()
    console.dead_letter()
    console.activity()
    console.audience()
    console.reasons()
    console.servers()
    console.mood()
    console.narrow()
    # axe-core itself does what the policy forbids.
    console.clean()
    console.accessibility()
    console.revoke()


def headers(pipeline):
    with urllib.request.urlopen(f"{pipeline.url}/console") as answer:
        found = answer.headers
    policy = dict(part.strip().split(" ", 1) for part in found["Content-Security-Policy"].split(";"))
    for name, value in POLICY.items():
        expect(f"the policy's {name}", policy.get(name), value)
    expect("X-Frame-Options", found["X-Frame-Options"], "DENY")
    expect("X-Content-Type-Options", found["X-Content-Type-Options"], "nosniff")
    expect("Referrer-Policy", found["Referrer-Policy"], "no-referrer")


def files(pipeline):
    folder = ROOT / "Services/IngestAPI/Console/Pages"
    size = sum(file.stat().st_size for file in folder.iterdir())
    print(f"console: {size} bytes of files")
    expect("the files are small", size < FILES_BYTES_MAXIMUM, True)
    for file in folder.iterdir():
        path = "/console" if file.name == "console.html" else f"/console/{file.name}"
        with urllib.request.urlopen(pipeline.url + path) as answer:
            expect(f"{file.name} as served", answer.read(), file.read_bytes())


# Subscribers as pushd stores them, of the simulated Google.
FILL = """
  for number = tonumber(ARGV[1]), tonumber(ARGV[2]) - 1 do
    local token = string.format('%040d', number)
    local language = ({ 'de', 'fr', 'en' })[number % 3 + 1]
    redis.call('HSET', 'subscriber:' .. number, 'proto', 'fcm', 'token', token, 'lang', language,
      'created', '1767225600', 'updated', '1767225600')
    redis.call('ZADD', 'subscribers', 0, number)
    redis.call('HSET', 'tokenmap', 'fcm:' .. token, number)
  end
  return 1
"""
FILL_MAXIMUM = 10_000


def register(pipeline):
    """Imports devices, which is quicker than a request for each; the demo has some of its own."""
    begun = time.monotonic()
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    server = subprocess.Popen(
        ["redis-server", "--port", str(port), "--bind", "127.0.0.1", "--save", ""], stdout=subprocess.DEVNULL
    )
    try:
        address = f"redis://127.0.0.1:{port}"
        wait("a Redis for the import", lambda: is_open(port))
        for first in range(0, DEVICES, FILL_MAXIMUM):
            redis(address, "EVAL", FILL, 0, first, min(first + FILL_MAXIMUM, DEVICES))
        done = subprocess.run(
            [PROGRAMS / "carillon", "import", "pushd", "--redis", f"{address}/0", "--app", "demo", "--json", "--data",
             pipeline.folder],
            check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
        )
    finally:
        server.terminate()
        server.wait()
    expect("devices that are imported", json.loads(done.stdout)["taken_over"], DEVICES)
    print(f"console: {DEVICES} devices registered in {time.monotonic() - begun:.0f} s")


def is_open(port):
    try:
        socket.create_connection(("127.0.0.1", port)).close()
        return True
    except ConnectionRefusedError:
        return False


def is_known(pipeline, key):
    request = urllib.request.Request(f"{pipeline.url}/v1/tasks", headers={"Authorization": f"Bearer {key}"})
    try:
        with urllib.request.urlopen(request):
            return True
    except urllib.error.HTTPError:
        return False


def redis(url, *command):
    """The answer of one command, which is an integer, a text or null."""
    address = urllib.parse.urlsplit(url)
    with socket.create_connection((address.hostname, address.port)) as connection, connection.makefile("rb") as reader:
        parts = [part if isinstance(part, bytes) else str(part).encode() for part in command]
        connection.sendall(b"*%d\r\n" % len(parts) + b"".join(b"$%d\r\n%s\r\n" % (len(part), part) for part in parts))
        line = reader.readline().strip()
        if line.startswith(b"-"):
            sys.exit(f"failed: redis: {line.decode()}")
        return reader.read(int(line[1:])) if line.startswith(b"$") and line != b"$-1" else line[1:]


# Appends an entry as `append.lua` does.
APPEND = """
  local next = string.format('%.0f', tonumber(redis.call('HGET', KEYS[1], 'next') or '0') + 1)
  local head = string.format('%.0f', tonumber(redis.call('HGET', KEYS[1], 'head') or '0') + #ARGV[1])
  local last = redis.call('HGET', KEYS[1], 'last') or ''
  redis.call('XADD', KEYS[2], next .. '-0', 'b', ARGV[1], 'c', head, 't', ARGV[2], 'p', last)
  redis.call('HSET', KEYS[1], 'next', next, 'head', head, 'last', next .. ' ' .. ARGV[2])
  return 1
"""


def length(value):
    encoded = bytearray()
    while value >= 0x80:
        encoded.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes(encoded + bytes([value]))


def send_undecodable(pipeline, task):
    key, value, now = f"{task}:0".encode(), b"no message", int(time.time() * 1000)
    entry = b"\x01" + length(1) + length(now) + length(len(key) + 1) + key + length(0) + length(len(value)) + value
    redis(pipeline.announcement["redis"], "EVAL", APPEND, 2, "bus:{results/0}:state", "bus:{results/0}:log", entry, now)


class Console:
    def __init__(self, pipeline, browser):
        self.pipeline = pipeline
        self.browser = browser
        self.page = browser.attach(browser.send("Target.createTarget", url="about:blank")["targetId"])
        for domain in ("Page", "Runtime", "Log", "Network", "Performance"):
            self.page.send(f"{domain}.enable")
        self.page.send("Emulation.setDeviceMetricsOverride", width=1360, height=900, deviceScaleFactor=1, mobile=False)
        self.page.send(
            "Page.addScriptToEvaluateOnNewDocument",
            source="""
          window.violations = [];
          document.addEventListener("securitypolicyviolation", (event) =>
            violations.push(event.violatedDirective + " " + event.blockedURI));
        """,
        )
        # A key of its own, which the test revokes.
        self.key = self.new_key(["publish", "broadcast", "register", "read", "admin"])
        self.first_event = len(browser.events)
        self.page.navigate(f"{pipeline.url}/console")

    def new_key(self, scopes):
        options = [part for scope in scopes for part in ("--scope", scope)]
        text = subprocess.run(
            [PROGRAMS / "carillon", "apps", "key", "demo", *options, "--data", self.pipeline.folder],
            check=True,
            capture_output=True,
            text=True,
        ).stdout
        key = re.search(r"ck_[A-Za-z0-9_-]+", text).group()
        wait("the key is known", lambda: is_known(self.pipeline, key))
        return key

    # Steps that an operator takes.

    def has(self, selector, text=""):
        return self.page.value(
            f"[...document.querySelectorAll({json.dumps(selector)})]"
            f".some((one) => one.textContent.includes({json.dumps(text)}))"
        )

    def see(self, selector, text=""):
        wait(f"{selector} shows {text!r}", lambda: self.has(selector, text), lambda: self.text("main"))

    def text(self, selector):
        return self.page.value(f"document.querySelector({json.dumps(selector)})?.innerText")

    def open(self, path):
        self.page.value(f"void (location.hash = {json.dumps('#/' + path)})")
        wait(
            f"{path} is drawn", lambda: self.has("main h1") and not self.has("main .loading"), lambda: self.text("main")
        )

    def click(self, label, scope="main"):
        """Clicks the button with a label."""
        buttons = f"[...document.querySelectorAll({json.dumps(scope + ' button')})]"
        found = f"{buttons}.find((one) => one.textContent === {json.dumps(label)} && !one.hidden)"
        wait(f"a button {label}", lambda: self.page.value(f"{found} !== undefined"), lambda: self.text("main"))
        self.page.value(f"{found}.click()")

    def enter(self, selector, text):
        self.page.value(f"""(() => {{
          const control = document.querySelector({json.dumps(selector)});
          control.value = {json.dumps(text)};
          control.dispatchEvent(new Event("input", {{ bubbles: true }}));
        }})()""")

    def submit(self, key):
        self.see("main input[name=key]")
        self.enter("main input[name=key]", key)
        self.page.value("document.querySelector('main form').requestSubmit()")

    def read_only(self):
        self.submit(self.new_key(["read"]))
        self.see("nav a", "Pipeline")
        expect(
            "pages that the key may not use are left out",
            self.has("nav a", "Compose") or self.has("nav a", "Dead letters"),
            False,
        )
        for page, scope in (("compose", "publish"), ("letters", "admin")):
            self.open(page)
            self.see(".state h2", "Forbidden")
            self.see(".state code", scope)
        self.click("Sign out", ".foot")
        self.see(".reason", "signed out")

    def keyboard(self):
        self.open("now")
        self.press("g")
        self.press("p")
        self.see("h1", "Pipeline")
        self.press("?")
        self.see("dialog[open] h2", "Keyboard")
        self.press("Escape")
        wait("Escape closes the dialog", lambda: not self.has("dialog"))

    def press(self, key):
        text = {"text": key} if len(key) == 1 else {"code": key, "windowsVirtualKeyCode": 27}
        self.page.send("Input.dispatchKeyEvent", type="keyDown", key=key, **text)
        self.page.send("Input.dispatchKeyEvent", type="keyUp", key=key)

    def reload(self):
        """A session outlives it."""
        self.page.value("window.isOld = true, location.reload()")
        wait("the page is loaded again", lambda: self.page.value("window.isOld === undefined"))
        self.see("nav a", "Compose")

    def sign_in(self):
        self.submit("ck_0000000000000000_wrongwrongwrongwrong")
        wait("a wrong key is refused", lambda: self.has(".error:not([hidden])"))
        self.submit(self.key)
        self.see("nav a", "Compose")
        secret = json.dumps(self.key.rsplit("_", 1)[1])
        self.reload()
        places = self.page.value(f"""({{
          address: location.href.includes({secret}), local: JSON.stringify(localStorage).includes({secret}),
          session: JSON.stringify(sessionStorage).includes({secret}), cookie: document.cookie,
          document: document.documentElement.outerHTML.includes({secret}),
          inputs: [...document.querySelectorAll("input")].some((one) => one.value.includes({secret})),
        }})""")
        expect(
            "the key is nowhere",
            places,
            {"address": False, "local": False, "session": False, "cookie": "", "document": False, "inputs": False},
        )
        cookies = self.page.send("Network.getCookies", urls=[f"{self.pipeline.url}/console"])["cookies"]
        expect("the cookie", [(one["httpOnly"], one["sameSite"]) for one in cookies], [(True, "Strict")])

    def first_paint(self):
        self.page.navigate(f"{self.pipeline.url}/console#/now")
        self.reload()
        paint = wait(
            "the page is painted",
            lambda: self.page.value("performance.getEntriesByName('first-contentful-paint')[0]?.startTime"),
        )
        print(f"console: first paint after {paint:.0f} ms")
        expect("the first paint is quick", paint < PAINT_MILLISECONDS_MAXIMUM, True)

    def broadcast(self):
        self.open("compose")
        wait("the demo's tasks are closed", self.is_quiet)
        before = self.delivered_by_simulator()
        self.enter(".language input", "Election night")
        self.enter(".language textarea", "The first results are in.")
        wait("the size is shown", lambda: re.search(r"\d", self.text(".size") or ""))
        self.see(".push-title", "Election night")
        self.page.value("document.querySelector('form.compose').requestSubmit()")
        self.see("dialog h2", "Send this push?")
        self.page.value(COUNT_FRAMES)
        # A second click while the first is under way sends nothing more.
        self.page.value(
            "(() => { const send = document.querySelector('dialog .primary'); send.click(); send.click(); })()"
        )
        self.see("main h1", "Task")
        wait("the task is drawn", lambda: self.has("main .badge") and not self.has("main .loading"))
        self.begin_shifts()
        task = self.page.value("location.hash").split("/")[2].split("?")[0]
        wait(
            "the task is closed",
            lambda: self.has("main .badge", "closed"),
            lambda: self.text("main"),
            BROADCAST_SECONDS,
        )
        frames = self.page.value("frames_")
        heap = self.page.send("Runtime.getHeapUsage")["usedSize"]
        print(
            f"console: {frames['count']} frames, {frames['late']} later than 34 ms, the worst {frames['worst']:.0f} ms;"
            f" heap {heap / 1e6:.1f} MB"
        )
        expect("the heap is small", heap < HEAP_BYTES_MAXIMUM, True)
        counts = self.pipeline.call("GET", f"/v1/tasks/{task}")[1]["counts"]
        shown = self.page.value("document.querySelector('.outcome.delivered dd').textContent").replace(",", "")
        expect("delivered on the page", int(shown), counts["delivered"])
        expect("delivered by the simulator", self.delivered_by_simulator() - before, counts["delivered"])
        expect("all devices are targeted", counts["targeted"] >= DEVICES, True)
        self.see("table", "Android")
        self.expect_no_shifts("the page of a task")
        self.task = task

    def broadcast_on_now(self):
        self.open("now")
        task = self.pipeline.post("/v1/tasks", {"audience": {"all": True}, "message": {"title": "again"}})["id"]
        row = f"main .task a[href*='{task}']"
        self.see(row)
        self.begin_shifts()
        wait("the task is closed", lambda: self.has(row, "closed"), lambda: self.text("main"), BROADCAST_SECONDS)
        self.expect_no_shifts("the page Now")

    def begin_shifts(self):
        """Ignores the shifts until now: what is loaded takes its place."""
        if self.page.value("window.shifts_ === undefined"):
            self.page.value(WATCH_SHIFTS)
        self.page.value("void (window.shiftsBegin_ = performance.now())")

    def expect_no_shifts(self, what):
        shifts = self.page.value(SHIFTS_SINCE)
        total = sum(one["value"] for one in shifts)
        print(f"console: layout shift of {what} while live: {total:.4f}")
        if total >= SHIFT_MAXIMUM:
            sys.exit(f"failed: {what} shifts: {shifts}")

    def hide(self):
        """A tab that is hidden for a minute has no stream; the minute is left out."""
        self.see(".live", "Live")
        self.page.value("""(() => {
          const { setTimeout } = window;
          window.setTimeout = (work, milliseconds) => setTimeout(work, milliseconds === 60_000 ? 0 : milliseconds);
        })()""")
        other = self.browser.send("Target.createTarget", url="about:blank")["targetId"]
        self.browser.send("Target.activateTarget", targetId=other)
        wait("the tab is hidden", lambda: self.page.value("document.hidden"))
        self.see(".live", "Not live")
        self.browser.send("Target.closeTarget", targetId=other)
        self.page.send("Page.bringToFront")
        wait("the stream is open again", lambda: self.has(".live.open"))

    def activity(self):
        device = self.pipeline.call(
            "PUT",
            "/v1/devices",
            {"protocol": "apns", "token": "a7" * 32, "user": "ada", "push_to_start": {"OrderAttributes": "b7" * 32}},
        )[1]["id"]
        self.pipeline.post(
            "/v1/activities",
            {
                "id": "order-7",
                "type": "OrderAttributes",
                "users": ["ada"],
                "attributes": {"number": 7},
                "content_state": {"step": "received"},
                "alert": {"title": "Your order", "body": "We have received it."},
            },
        )
        self.pipeline.call("PUT", f"/v1/devices/{device}/activities/order-7", {"token": "c7" * 32})
        self.open("activities")
        self.see("td a", "order-7")
        self.open("activities/order-7")
        self.see(".badge", "running")
        self.see(".code", "received")
        self.see("td", device)
        self.pipeline.call("PATCH", "/v1/activities/order-7", {"content_state": {"step": "baking"}})
        self.reload()
        self.see(".code", "baking")
        self.click("End activity")
        self.click("End", "dialog")
        self.see(".badge", "ended")

    def audience(self):
        self.open("audiences")
        self.page.value("document.querySelector('input[value=conditions]').click()")
        self.enter("li.row input", "no-such-topic")
        self.see("output", "0 devices")
        self.enter("form input[pattern]", "fans")
        self.page.value("document.querySelector('main form').requestSubmit()")
        self.see("td", "fans")
        saved = self.pipeline.call("GET", "/v1/audiences/fans")[1]["audience"]
        expect("the saved audience", saved, {"topic": "no-such-topic"})
        self.click("Remove")
        self.click("Remove", "dialog")
        self.see("main h2", "No saved audiences")

    def reasons(self):
        """The page draws a report of more kinds than the simulator makes."""
        report = {
            "counts": {"targeted": 9, "delivered": 2, "failed": 7},
            "by_platform": {"ios": {"targeted": 9, "delivered": 2, "failed": 7}},
            "reasons": [
                {"outcome": "failed", "status": 400, "reason": HOSTILE_LABEL, "count": 4},
                {"outcome": "failed", "status": 0, "reason": "other", "count": 3},
            ],
        }
        self.page.value(f"""(() => {{
          const {{ fetch }} = window;
          window.fetch = async (path, options) => path.endsWith("/report") ? Response.json({json.dumps(report)})
            : fetch(path, options);
        }})()""")
        self.open(f"task/{self.task}")
        self.see("main h3", "Reasons")
        self.see("td", HOSTILE_LABEL)
        self.see("td", "other")
        self.reload()

    def servers(self):
        """The page draws what the stream tells of servers and of messages that are handled."""
        self.open("pipeline")
        self.see(".stages td", "registry")
        for handled, server in ((0, "push.example.com:443"), (5_000, HOSTILE_LABEL)):
            wait(f"{server} fails", lambda: self.receive(handled, server) or self.has("td", server))
        wait(
            "the rate is shown", lambda: re.fullmatch(r"[\d,]*[1-9][\d,]*", self.text(".stages td:nth-child(5)") or "")
        )
        self.reload()

    def receive(self, handled, server):
        self.page.value(f"""import("/console/live.js").then(({{ live }}) => live.received("app", JSON.stringify({{
          ...live.app,
          servers: [{{ server: {json.dumps(server)}, state: "failing", seconds: 12 }}],
          stages: live.app.stages.map((one) => ({{ ...one, handled: {handled} }})),
        }})))""")

    def mood(self):
        self.open("pipeline")
        for mood, has_faults in (("stalled", True), ("healthy", False)):
            self.click(mood, "[role=group]")
            self.see("[role=group] [aria-pressed=true]", mood)
            wait(f"the simulator is {mood}", lambda: self.has_faults() == has_faults)

    def has_faults(self):
        with urllib.request.urlopen(self.pipeline.announcement["simulator"] + "/faults") as answer:
            return any(json.load(answer).values())

    def is_quiet(self):
        tasks = self.pipeline.call("GET", "/v1/tasks")[1]["tasks"]
        return len(tasks) > 1 and all(one["state"] == "closed" for one in tasks)

    def delivered_by_simulator(self):
        with urllib.request.urlopen(self.pipeline.announcement["simulator"] + "/stats") as answer:
            return sum(
                one["accepted"] for one in json.load(answer).values() if isinstance(one, dict) and "accepted" in one
            )

    def cancel(self):
        later = (datetime.now(timezone.utc) + timedelta(hours=2)).isoformat()
        task = self.pipeline.post(
            "/v1/tasks", {"audience": {"all": True}, "message": {"title": "later"}, "send_at": later}
        )["id"]
        self.open("scheduled")
        self.see("td", task[:8])
        self.click("Cancel")
        self.click("Cancel task", "dialog")
        self.see("main h2", "Nothing is scheduled")
        expect("it is cancelled", self.pipeline.call("GET", f"/v1/tasks/{task}")[1]["cancelled"], True)

    def why(self):
        token = f"{0:040d}"
        device = self.pipeline.call("GET", f"/v1/devices?token={token}&protocol=fcm")[1]["devices"][0]["id"]
        self.open(f"devices/{device}")
        self.see("td", "The provider accepted the push.")
        self.open(f"task/{self.task}?device={device}")
        self.see(".trace", "The provider accepted the push.")

    def hostile(self):
        device = self.pipeline.call(
            "PUT",
            "/v1/devices",
            {"protocol": "fcm", "token": "9" * 40, "user": HOSTILE, "topics": [{"name": HOSTILE[:200]}]},
        )[1]["id"]
        content = {"title": HOSTILE, "body": {"default": "x", "fr": HOSTILE}}
        task = self.pipeline.post(
            "/v1/tasks", {"devices": [device], "message": content, "labels": {"campaign": HOSTILE_LABEL}}
        )["id"]
        self.open(f"task/{task}")
        self.see(".text", HOSTILE)
        self.see(".label", HOSTILE_LABEL)
        self.open("now")
        self.see(".label", HOSTILE_LABEL)
        self.open(f"devices/{device}")
        self.see(".text", HOSTILE[:200])
        self.open(f"devices?user={urllib.parse.quote(HOSTILE)}")
        self.see("td", device)
        self.open("campaigns")
        self.see("td", HOSTILE_LABEL)
        self.open(f"campaigns/{urllib.parse.quote(HOSTILE_LABEL, safe='')}")
        self.see("h1", HOSTILE_LABEL)
        self.open(f"compose?from={task}")
        self.see(".push-title", HOSTILE)
        self.enter(".language input", LONG)
        self.see(".push-title", LONG)
        expect("no script of a text runs", self.page.value("window.hacked === undefined"), True)

    def dead_letter(self):
        send_undecodable(self.pipeline, self.task)
        wait("the letter is dead", lambda: self.pipeline.call("GET", "/v1/dead-letters")[1]["letters"])
        self.open("letters")
        self.see("td", "results")
        self.page.value("document.querySelector('tbody input').click()")
        self.click("Replay 1")
        self.see(".banner", "1 message replayed")

    def accessibility(self):
        for scheme in ("light", "dark"):
            self.page.send("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])
            for path in [*PAGES, f"task/{self.task}", "activities/order-7"]:
                self.open(path)
                self.accessible(path, scheme)

    def accessible(self, path, scheme):
        found = importlib.util.find_spec("axe_core_python")
        if not found:
            sys.exit("failed: axe-core-python is missing; install requirements-dev.txt")
        if not self.page.value("!!window.axe"):
            self.page.value("void " + pathlib.Path(found.origin).with_name("axe.min.js").read_text())
        violations = self.page.value(
            """axe.run({ resultTypes: ["violations"] }).then((result) => result.violations.map((one) =>
          one.id + ": " + one.nodes.slice(0, 3).map((node) => node.html.slice(0, 160)).join(" | ")))"""
        )
        expect(f"accessibility of {path}, {scheme}", violations, [])

    def narrow(self):
        self.page.send("Emulation.setDeviceMetricsOverride", width=320, height=700, deviceScaleFactor=1, mobile=False)
        for path in [*PAGES, f"task/{self.task}", "activities/order-7"]:
            self.open(path)
            expect(
                f"{path} fits 320 pixels", self.page.value("document.documentElement.scrollWidth <= innerWidth"), True
            )
        self.page.send("Emulation.clearDeviceMetricsOverride")

    def revoke(self):
        file = pathlib.Path(self.pipeline.announcement["apps"], "demo.json")
        app = json.loads(file.read_text())
        app["credentials"] = [one for one in app["credentials"] if one["id"] not in self.key]
        file.write_text(json.dumps(app))
        self.see(".reason", "revoked")

    def clean(self):
        """Neither the console of the browser nor the network shows anything that should not be there."""
        self.page.value("0")
        events = self.browser.events[self.first_event :]
        bad = [
            one["params"]
            for one in events
            if one.get("sessionId") == self.page.session
            and (
                one["method"] == "Runtime.exceptionThrown"
                # The browser reports the answers 4xx to the requests that the test provokes.
                or one["method"] == "Log.entryAdded"
                and one["params"]["entry"]["level"] == "error"
                and one["params"]["entry"]["source"] != "network"
            )
        ]
        expect("no error in the browser's console", bad, [])
        expect("no violation of the policy", self.page.value("violations"), [])
        hosts = {
            urllib.parse.urlsplit(one["params"]["request"]["url"]).netloc
            for one in events
            if one["method"] == "Network.requestWillBeSent"
            and one.get("sessionId") == self.page.session
            and not one["params"]["request"]["url"].startswith("data:")
        }
        expect("requests go to one host", hosts, {urllib.parse.urlsplit(self.pipeline.url).netloc})
