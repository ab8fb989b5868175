"""Headless Chromium, driven over the DevTools protocol, and a `carillon up` for it."""

import http.server
import json
import os
import pathlib
import signal
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request

import websocket

from checks import BUILT, ROOT

PROGRAMS = pathlib.Path(os.environ.get("PROGRAMS", BUILT))
PATIENCE_SECONDS = 120


def wait(what, until, found=None, seconds=PATIENCE_SECONDS):
    """`found` gives what a failure shows."""
    deadline = time.monotonic() + seconds
    while not (value := until()):
        if time.monotonic() > deadline:
            sys.exit(f"failed: {what} within {seconds:.0f} s" + (f": {found()}" if found else ""))
        time.sleep(0.05)
    return value


def expect(what, value, expected):
    if value != expected:
        sys.exit(f"failed: {what}: expected {expected!r}, got {value!r}")


class Pipeline:
    """A `carillon up` with the simulator."""

    def __init__(self, folder, *options):
        self.folder = folder
        self.lines = []
        program = PROGRAMS / "carillon"
        if not program.exists():
            sys.exit(f"{program} is missing; run make test")
        errors = pathlib.Path(f"{folder}.errors")
        with errors.open("w") as file:
            self.process = subprocess.Popen(
                [program, "up", "--simulator", "--json", "--data", folder, *options],
                stdout=subprocess.PIPE, stderr=file, text=True,
            )
        line = self.process.stdout.readline()
        if not line:
            sys.exit(f"failed: carillon up: {errors.read_text().strip()}")
        self.announcement = json.loads(line)
        threading.Thread(target=lambda: self.lines.extend(self.process.stdout), daemon=True).start()
        self.url = self.announcement["url"]
        self.key = pathlib.Path(self.announcement["key_file"]).read_text().strip()

    def call(self, method, path, body=None):
        """The answer's status and its JSON, if any."""
        request = urllib.request.Request(
            self.url + path, method=method, data=json.dumps(body).encode() if body is not None else None,
            headers={"Authorization": f"Bearer {self.key}", "Content-Type": "application/json"},
        )
        try:
            with urllib.request.urlopen(request) as response:
                status, text = response.status, response.read()
        except urllib.error.HTTPError as error:
            status, text = error.code, error.read()
        return status, json.loads(text) if text else None

    def post(self, path, body):
        status, answer = self.call("POST", path, body)
        if status not in (200, 201, 202):
            sys.exit(f"failed: POST {path}: {status} {answer}")
        return answer

    def process_id(self, program):
        """None while the program is restarted."""
        file = pathlib.Path(self.folder, "up.json")
        return json.loads(file.read_text())["programs"][program]["pid"] if file.exists() else None

    def kill(self, program):
        killed = self.process_id(program)
        os.kill(killed, signal.SIGKILL)
        return killed

    def stop(self):
        self.process.terminate()
        self.process.wait(timeout=PATIENCE_SECONDS)


class Browser:
    def __init__(self, folder):
        self.process = subprocess.Popen(
            ["chromium", "--headless=new", "--no-sandbox", "--disable-gpu", "--remote-debugging-port=0",
             "--remote-allow-origins=*", f"--user-data-dir={folder}", "about:blank"],
            stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True,
        )
        lines = []
        for line in self.process.stderr:
            lines.append(line)
            if "DevTools listening on ws://" in line:
                break
        else:
            sys.exit(f"failed: chromium did not start: {''.join(lines)}")
        threading.Thread(target=self.process.stderr.read, daemon=True).start()
        self.socket = websocket.create_connection(line.split("listening on ")[1].strip(), timeout=PATIENCE_SECONDS)
        self.number = 0
        self.events = []

    def send(self, method, session=None, **parameters):
        self.number += 1
        command = {"id": self.number, "method": method, "params": parameters}
        self.socket.send(json.dumps(command | ({"sessionId": session} if session else {})))
        while (answer := self.receive(method, parameters)).get("id") != self.number:
            self.events.append(answer)
        if "error" in answer:
            sys.exit(f"failed: {method}: {answer['error']['message']}")
        return answer["result"]

    def receive(self, method, parameters):
        try:
            return json.loads(self.socket.recv())
        except websocket.WebSocketTimeoutException:
            # Also a promise that neither resolves nor rejects.
            sys.exit(f"failed: {method} {parameters}: no answer within {PATIENCE_SECONDS} s")

    def attach(self, target):
        return Page(self, self.send("Target.attachToTarget", targetId=target, flatten=True)["sessionId"])

    def open(self, address, script=None):
        """Opens a page; `script` runs before its own."""
        page = self.attach(self.send("Target.createTarget", url="about:blank")["targetId"])
        page.send("Page.enable")
        if script:
            page.send("Page.addScriptToEvaluateOnNewDocument", source=script)
        page.navigate(address)
        return page

    def worker(self, origin):
        """The running service worker of an origin; None if there is none."""
        targets = self.send("Target.getTargets")["targetInfos"]
        found = [one for one in targets if one["type"] == "service_worker" and one["url"].startswith(origin)]
        return self.attach(found[0]["targetId"]) if found else None

    def stop(self):
        self.process.terminate()
        self.process.wait(timeout=PATIENCE_SECONDS)


class Page:
    """A page or a worker."""

    def __init__(self, browser, session):
        self.browser = browser
        self.session = session

    def send(self, method, **parameters):
        return self.browser.send(method, self.session, **parameters)

    def navigate(self, address):
        self.send("Page.navigate", url=address)
        wait(f"{address} is open", lambda: self.value("document.readyState") == "complete")

    def value(self, expression):
        """The value of an expression, or what its promise resolves to; fails if it throws."""
        answer = self.send(
            "Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True, userGesture=True)
        if "exceptionDetails" in answer:
            details = answer["exceptionDetails"]
            sys.exit(f"failed: {expression}: {details.get('exception', {}).get('description', details['text'])}")
        return answer["result"].get("value")


def serve(page):
    """A server of its own origin with one page."""
    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            self.send_response(200)
            self.send_header("Content-Type", "text/html")
            self.end_headers()
            self.wfile.write(page.encode())

        def log_message(self, *_):
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return f"http://127.0.0.1:{server.server_port}/"
