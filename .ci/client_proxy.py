"""A proxy in front of the API that refuses first requests, to see whether a client repeats them as it should."""

import http.client
import http.server
import json
import threading
import time
import urllib.parse

WAIT_SECONDS = 2
TITLES = {429: "Too Many Requests", 503: "Service Unavailable"}


class ImpatientProxy:
    """Refuses the first registration with 429, and answers the first task with 503 although the API has accepted it, as
    if the answer had been lost. Then it passes on everything."""

    def __init__(self, address):
        self.upstream = urllib.parse.urlsplit(address).netloc
        self.attempts = {"/v1/devices": [], "/v1/tasks": []}
        self.first_task = None
        self.lock = threading.Lock()
        proxy = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def handle_request(self):
                proxy.handle(self)

            do_GET = do_POST = do_PUT = handle_request

            def log_message(self, *arguments):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = "http://127.0.0.1:%d" % self.server.server_port

    def __enter__(self):
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *error):
        self.server.shutdown()
        self.server.server_close()

    def handle(self, request):
        body = request.rfile.read(int(request.headers.get("Content-Length", 0)))
        attempts = self.attempts.get(request.path) if request.command in ("POST", "PUT") else None
        if attempts is None:
            return self.answer(request, *self.forward(request, body))
        with self.lock:
            attempts.append((time.monotonic(), request.headers.get("Idempotency-Key"), body))
            is_first = len(attempts) == 1
        if not is_first:
            return self.answer(request, *self.forward(request, body))
        if request.path == "/v1/devices":
            return self.refuse(request, 429)
        self.first_task = json.loads(self.forward(request, body)[2]).get("id")
        return self.refuse(request, 503)

    def forward(self, request, body):
        upstream = http.client.HTTPConnection(self.upstream, timeout=30)
        headers = {name: value for name, value in request.headers.items() if name.lower() not in ("host", "connection")}
        upstream.request(request.command, request.path, body or None, headers)
        response = upstream.getresponse()
        answer = response.status, response.headers.get("Content-Type", ""), response.read()
        upstream.close()
        return answer

    def refuse(self, request, status):
        problem = {"type": "about:blank", "title": TITLES[status], "status": status, "detail": "Retry later."}
        self.answer(request, status, "application/problem+json", json.dumps(problem).encode())

    def answer(self, request, status, kind, body):
        request.send_response(status)
        request.send_header("Content-Type", kind)
        request.send_header("Content-Length", str(len(body)))
        if status in TITLES:
            request.send_header("Retry-After", str(WAIT_SECONDS))
        request.end_headers()
        request.wfile.write(body)

    def problems(self, task):
        """What is wrong with the repeats of a client that says that it sent this task."""
        for path, attempts in self.attempts.items():
            if len(attempts) != 2:
                yield f"{path}: {len(attempts)} requests instead of 2"
                continue
            (first, key, body), (second, again, same) = attempts
            if second - first < WAIT_SECONDS:
                yield f"{path}: repeated after {second - first:.3f} s, before Retry-After"
            if (key, body) != (again, same):
                yield f"{path}: the repeat differs: {key} {body} {again} {same}"
        if any(key is None for _, key, _ in self.attempts["/v1/tasks"]):
            yield "/v1/tasks: no Idempotency-Key"
        if task != self.first_task:
            yield f"the repeat made another task: {task}, not {self.first_task}"
