"""The example page of Web Push, on an origin of its own: permission, subscription, topics, a push as the pipeline
renders it, its receipts, and what can go wrong.

Chromium gets subscriptions from Google only, which a test must not depend on. So `PushManager` gives the page
subscriptions of the simulator, and DevTools deliver to the browser what the simulator has decrypted. Clicks of
notifications cannot be made from outside either: the worker gets the event from the test. Everything else is real."""

import base64
import hmac
import itertools
import json
import pathlib
import re
import secrets
import sys
import time
import urllib.parse
import urllib.request

from browser import expect, serve, wait

# Names of subscriptions at the simulator; the page takes one after the other.
NAMES = [f"browser-{number}" for number in range(8)]

client_numbers = itertools.count(1)

PUSH_MANAGER = """
  const subscriptions = %s;
  const stored = (name, value) => value === undefined ? JSON.parse(localStorage.getItem(name))
    : localStorage.setItem(name, JSON.stringify(value));
  const subscription = (given) => given && {
    endpoint: given.endpoint, toJSON: () => given,
    unsubscribe: async () => { stored("subscription", null); return true; },
  };
  PushManager.prototype.getSubscription = async () => subscription(stored("subscription"));
  PushManager.prototype.subscribe = async ({ applicationServerKey }) => {
    if (Notification.permission !== "granted") throw new DOMException("no permission", "NotAllowedError");
    if (typeof applicationServerKey !== "string") throw new TypeError("expected the key as text");
    const used = stored("used") ?? 0;
    stored("used", used + 1);
    stored("subscription", subscriptions[used]);
    return subscription(subscriptions[used]);
  };
"""

# Events that are made by scripts have no extended life, and no right to open windows.
WORKER_EVENTS = """
  const { waitUntil } = ExtendableEvent.prototype;
  ExtendableEvent.prototype.waitUntil = function (promise) {
    if (this.isTrusted) waitUntil.call(this, promise); else self.waited = promise;
  };
  self.opened = [];
  Clients.prototype.openWindow = async (address) => { self.opened.push(String(address)); };
  self.focused = [];
  WindowClient.prototype.focus = async function () { self.focused.push(this.url); };
"""


def check(pipeline, browser):
    subscriptions = [simulated(pipeline, f"/subscriptions/{name}") for name in NAMES]
    script = PUSH_MANAGER % json.dumps(subscriptions)
    origin = pipeline.announcement["page"]
    browser.send("Browser.setPermission", permission={"name": "notifications"}, setting="denied", origin=origin)
    page = browser.open(origin, script)
    without_permission(page, pipeline)
    browser.send("Browser.grantPermissions", permissions=["notifications"], origin=origin)
    page.navigate(origin)
    without_push_service(page, pipeline)
    page.navigate(origin)
    subscribe(pipeline, page, subscriptions[0])
    topics(pipeline, page, subscriptions[0])
    user(pipeline, page, subscriptions[0])
    worker = wait("the worker runs", lambda: browser.worker(origin))
    worker.value(WORKER_EVENTS)
    registration = wait("the worker is registered", lambda: registered(page, origin))
    device_id = device(pipeline, subscriptions[0])["id"]
    notification(pipeline, page, worker, registration, device_id)
    silent(pipeline, page, registration, device_id)
    odd_pushes(page, worker)
    replaced_by_browser(pipeline, page, worker, subscriptions)
    other_key(pipeline, page, subscriptions)
    leave(pipeline, page, subscriptions[2])
    mistakes(pipeline, browser, page)
    print("a page subscribed, got pushes, reported them, and was told what was wrong")


def simulated(pipeline, path):
    with urllib.request.urlopen(pipeline.announcement["simulator"] + path) as response:
        return json.load(response)


def text(page, name):
    return page.value(f"document.getElementById('{name}').textContent")


def click(page, name):
    page.value(f"document.getElementById('{name}').click()")


def device(pipeline, subscription):
    """The registered device of a subscription, with its topics; None if there is none."""
    token = urllib.parse.quote(subscription["endpoint"], safe="")
    _, answer = pipeline.call("GET", f"/v1/devices?token={token}&protocol=webpush")
    if not answer["devices"]:
        return None
    return pipeline.call("GET", f"/v1/devices/{answer['devices'][0]['id']}")[1]


def names(found):
    return sorted(topic["name"] for topic in found["topics"])


def without_permission(page, pipeline):
    wait("the page says that notifications are blocked", lambda: "blocked" in text(page, "state"))
    told(page, pipeline, "key: 'ck_any'", "enable()", "denied", "must allow them")


def can_subscribe(page):
    return page.value("!document.getElementById('enable').disabled")


def without_push_service(page, pipeline):
    """Chromium neither subscribes nor fails while its push service is out of reach."""
    wait("the page can subscribe", lambda: can_subscribe(page))
    # The time limit of a subscription, longer than that of a request, passes at once.
    page.value("""
      const { timeout } = AbortSignal;
      AbortSignal.timeout = (limit) => timeout.call(AbortSignal, limit > 15_000 ? 1 : limit);
      PushManager.prototype.subscribe = () => new Promise(() => {});
    """)
    click(page, "enable")
    wait("the page says what is out of reach", lambda: "push service gave no" in text(page, "error"))
    # The lock is free again.
    options = f"key: '{public_key(pipeline)}', worker: 'carillon-worker.js'"
    told(page, pipeline, options, "enable()", "push_service", "must be reachable")
    told(page, pipeline, options, "topics()", "off", "enable() first")


def subscribe(pipeline, page, subscription):
    wait("the page can subscribe", lambda: can_subscribe(page))
    expect("the device before", device(pipeline, subscription), None)
    click(page, "enable")
    wait("the page is subscribed", lambda: "You get notifications" in text(page, "state"))
    expect("the error", text(page, "error"), "")
    found = device(pipeline, subscription)
    expect("the device's topics", names(found), ["news"])
    expect("its language", found["language"], page.value("navigator.language"))
    expect("its time zone", found["time_zone"], page.value("Intl.DateTimeFormat().resolvedOptions().timeZone"))


def topics(pipeline, page, subscription):
    click_box = "document.querySelector('input[value=sports]').click()"
    for expected in (["news", "sports"], ["news"]):
        page.value(click_box)
        wait(f"the topics are {expected}", lambda: names(device(pipeline, subscription)) == expected)
    page.navigate(page.value("location.href"))
    wait("the page knows that it is subscribed", lambda: "You get notifications" in text(page, "state"))
    wait("it shows the topics", lambda: page.value("document.querySelector('input[value=news]').checked"))


def user(pipeline, page, subscription):
    """A user whom the publisher's backend has signed, and who signs out."""
    secret = secrets.token_hex(32)
    file = pathlib.Path(pipeline.folder, "user-token-secret")
    file.write_text(secret)
    file.chmod(0o600)
    app = pathlib.Path(pipeline.announcement["apps"], f"{pipeline.announcement['app']}.json")
    app.write_text(json.dumps(json.loads(app.read_text()) | {"user_tokens": {"key_file": str(file)}}))
    token = user_token("ada", secret)
    before = device(pipeline, subscription)
    expect("the user before", before.get("user"), None)
    call = f"{client(page, pipeline)}.setUser('{token}').then(() => 'set', (error) => error.message)"
    # The app file is read again within seconds.
    wait("the user is set", lambda: page.value(call) == "set")
    expect("the user", device(pipeline, subscription)["user"], "ada")
    page.value(f"{client(page, pipeline)}.clearUser()")
    after = device(pipeline, subscription)
    expect("the user after signing out", after.get("user"), None)
    expect("the topics after it", names(after), names(before))
    expect("the device is another one", after["id"] != before["id"], True)


def user_token(name, secret):
    """As a backend makes it: a JWT of HS256."""
    def encoded(value):
        return base64.urlsafe_b64encode(value).rstrip(b"=")

    claims = {"sub": name, "exp": int(time.time()) + 600}
    signed = b".".join(encoded(json.dumps(part).encode()) for part in ({"alg": "HS256"}, claims))
    return (signed + b"." + encoded(hmac.digest(secret.encode(), signed, "sha256"))).decode()


def client(page, pipeline, options=""):
    """A client of the example page."""
    options = options or f"key: '{public_key(pipeline)}', worker: 'carillon-worker.js'"
    name = f"client{next(client_numbers)}"
    page.value(f"import('{pipeline.url}/carillon.js').then(({{ Carillon }}) => {{"
               f" globalThis.{name} = new Carillon({{ {options} }}) }})")
    return name


def registered(page, origin):
    page.send("ServiceWorker.enable")
    for event in page.browser.events:
        if event["method"] == "ServiceWorker.workerRegistrationUpdated":
            for registration in event["params"]["registrations"]:
                if registration["scopeURL"].startswith(origin):
                    return registration["registrationId"]
    return None


def push(pipeline, page, registration, device_id, message):
    """Sends a push to the page's device; returns the task's id when the browser has shown it."""
    task = pipeline.post("/v1/tasks", {"devices": [device_id], "message": message})["id"]

    status = wait("the task is closed", lambda: closed(pipeline, task))
    expect("the push, which the simulator decrypts", outcomes(status), {"targeted": 1, "delivered": 1})
    # The demonstration sends hundreds at the same time.
    stored_pushes = simulated(pipeline, "/pushes/webpush?limit=1000")
    pushes = [body for body in (json.dumps(push["body"]) for push in stored_pushes) if task in body]
    expect("the pushes of one task", len(pushes), 1)
    page.send("ServiceWorker.deliverPushMessage", origin=page.value("location.origin"), registrationId=registration,
              data=pushes[0])
    # Asking Chromium for its notifications while it is about to show one removes that.
    wait("its delivery is counted", lambda: receipts(pipeline, task)["delivered"] == 1)
    return task


SHOWN = "navigator.serviceWorker.ready.then((one) => one.getNotifications())"


def count(page, number):
    expect("the number of notifications", page.value(f"{SHOWN}.then((list) => list.length)"), number)


def closed(pipeline, task):
    """The status of a task; None while it is open."""
    status = pipeline.call("GET", f"/v1/tasks/{task}")[1]
    return status if status["state"] == "closed" else None


def outcomes(status):
    return {name: count for name, count in status["counts"].items() if count}


def receipts(pipeline, task):
    return pipeline.call("GET", f"/v1/tasks/{task}")[1]["receipts"]


def event(worker, kind, action=""):
    """What the browser tells the worker about the notification that is shown."""
    worker.value("self.registration.getNotifications().then(([notification]) => self.dispatchEvent("
                 f"new NotificationEvent('{kind}', {{ notification, action: '{action}' }})))")
    worker.value("self.waited")


def notification(pipeline, page, worker, registration, device_id):
    address = "https://www.example.com/news"
    message = {"title": "Goal", "body": "2:1", "url": address, "data": {"match": 7}}
    task = push(pipeline, page, registration, device_id, message)
    count(page, 1)
    fields = page.value(f"{SHOWN}.then(([one]) => [one.title, one.body, String(one.data.match)])")
    expect("the notification", fields, ["Goal", "2:1", "7"])
    event(worker, "notificationclose")
    wait("its dismissal is counted", lambda: receipts(pipeline, task)["dismissed"] == 1)
    event(worker, "notificationclick", "reply")
    wait("the action is counted", lambda: receipts(pipeline, task)["actions"] == 1)
    count(page, 0)
    # A receipt that cannot be sent is sent with the next one.
    first = push(pipeline, page, registration, device_id, message)
    count(page, 1)
    worker.value("self.online = self.fetch; self.fetch = () => Promise.reject(new TypeError('offline'))")
    event(worker, "notificationclick")
    count(page, 0)
    worker.value("self.fetch = self.online")
    second = push(pipeline, page, registration, device_id, message)
    wait("the click while offline is counted", lambda: receipts(pipeline, first)["opened"] == 1)
    expect("the second push is not opened", receipts(pipeline, second)["opened"], 0)
    event(worker, "notificationclick")
    wait("the second click is counted", lambda: receipts(pipeline, second)["opened"] == 1)
    expect("the addresses that were opened", worker.value("self.opened"), [address] * 3)
    # Without an address: the root of the page, which is open.
    third = push(pipeline, page, registration, device_id, {"title": "Half-time"})
    event(worker, "notificationclick")
    wait("the third click is counted", lambda: receipts(pipeline, third)["opened"] == 1)
    expect("the windows that were focused", worker.value("self.focused"), [page.value("location.href")])
    expect("the addresses that were opened", len(worker.value("self.opened")), 3)


def silent(pipeline, page, registration, device_id):
    before = page.value(f"{SHOWN}.then((list) => list.length)")
    push(pipeline, page, registration, device_id, {"data": {"score": "3:1"}})
    wait("the page has the silent push", lambda: "3:1" in text(page, "pushes"))
    count(page, before)


def odd_pushes(page, worker):
    """What this pipeline does not send, or this browser does not do."""
    def receive(made):
        page.value(f"{SHOWN}.then((list) => list.forEach((one) => one.close()))")
        worker.value(f"self.dispatchEvent({made})")
        worker.value("self.waited")
        return page.value(f"{SHOWN}.then((list) => list.map((one) => [one.title, one.body, one.tag]))")

    def pushed(message):
        return receive(f"new PushEvent('push', {{ data: {json.dumps(json.dumps(message))} }})")

    # A browser that knows Declarative Web Push has read the push itself.
    fields = {"title": "Read", "body": "by the browser", "tag": "t", "navigate": "/news", "data": None}
    shown = receive("Object.assign(new ExtendableEvent('push'), "
                    f"{{ data: null, appBadge: null, notification: {json.dumps(fields)} }})")
    expect("a push that the browser has read", shown, [["Read", "by the browser", "t"]])
    # Chromium refuses a silent notification that vibrates.
    refused = {"title": "Refused", "body": "options", "silent": True, "vibrate": [100]}
    expect("a push with refused options", pushed({"notification": refused}), [["Refused", "options", ""]])
    refused = {"title": "Refused", "actions": "none", "navigate": "javascript:alert(1)", "data": "text"}
    expect("a push with invalid members", pushed({"notification": refused}), [["Refused", "", ""]])
    opened = worker.value("self.opened.length")
    event(worker, "notificationclick")
    expect("addresses of other kinds that were opened", worker.value("self.opened.length"), opened)
    expect("a push of plain text", receive("new PushEvent('push', { data: 'plain words' })"), [])
    wait("the page has the text", lambda: "plain words" in text(page, "pushes"))
    expect("a push without anything", receive("new PushEvent('push')"), [])
    # A notification that others show is theirs.
    worker.value("self.waited = null; self.registration.showNotification('Of the page', { data: { own: 1 } })")
    event(worker, "notificationclick")
    expect("the promise for another's notification", worker.value("self.waited"), None)
    count(page, 1)


def replaced_by_browser(pipeline, page, worker, subscriptions):
    """The browser has a new subscription, of which it tells the worker."""
    # A page goes on while the worker waits for the push service.
    worker.value("PushManager.prototype.subscribe = () => new Promise(() => {});"
                 "self.dispatchEvent(new ExtendableEvent('pushsubscriptionchange'))")
    topics_of_page = page.value(f"{client(page, pipeline)}.topics().then((list) => list.map((one) => one.name))")
    expect("the topics meanwhile", topics_of_page, ["news"])
    page.value("globalThis.renewals = 0; navigator.serviceWorker.addEventListener('message', "
               "({ data }) => { renewals += data.carillon === 'resubscribed' })")
    worker.value("self.dispatchEvent(Object.assign(new ExtendableEvent('pushsubscriptionchange'), "
                 f"{{ newSubscription: {json.dumps(subscriptions[1])} }}))")
    worker.value("self.waited")
    wait("the page is told", lambda: page.value("renewals") == 1)
    expect("the former device", device(pipeline, subscriptions[0]), None)
    expect("the topics of the new one", names(device(pipeline, subscriptions[1])), ["news"])
    page.value(f"stored('subscription', {json.dumps(subscriptions[1])}); stored('used', 2)")


def other_key(pipeline, page, subscriptions):
    """The app has another key pair: the page subscribes again, and keeps its topics."""
    page.value("""
      const online = fetch;
      globalThis.fetch = async (...request) => String(request[0]).endsWith("web-push-key")
        ? Response.json({ public_key: "B".repeat(87) }) : online(...request);
    """)
    page.value("document.querySelector('input[value=sports]').click()")
    wait("the new device is registered", lambda: device(pipeline, subscriptions[2]))
    wait("it has the topics", lambda: names(device(pipeline, subscriptions[2])) == ["news", "sports"])
    wait("the former device is removed", lambda: device(pipeline, subscriptions[1]) is None)
    page.navigate(page.value("location.href"))


def leave(pipeline, page, subscription):
    wait("the page can leave", lambda: page.value("!document.getElementById('disable').disabled"))
    click(page, "disable")
    wait("the page has left", lambda: "You get no notifications" in text(page, "state"))
    expect("the device", device(pipeline, subscription), None)
    expect("the browser's subscription", page.value("stored('subscription')"), None)


def mistakes(pipeline, browser, page):
    """Each is told by a code and by what to do."""
    api, key = pipeline.url, json.dumps(public_key(pipeline))
    command = f"carillon apps key APP --public --origin {pipeline.announcement['page']}"
    for options, call, code, cure in [
        (f"key: {key}, worker: '/missing.js'", "start()", "worker", f'importScripts("{api}/carillon-worker.js")'),
        ("key: 'ck_wrong'", "enable()", "key", command),
        (f"key: {key}, url: 'http://127.0.0.1:1'", "enable()", "unreachable", command),
        (f"key: {key}", "subscribe('news')", "off", "enable() first"),
        (f"key: {key}", "enable({ topics: [7] })", "refused", "topics"),
    ]:
        told(page, pipeline, options, call, code, cure)
    refused = json.dumps({"stream": pipeline.announcement["stream"], "ticket": "any", "topics": ["sports"]})
    page.value(f"globalThis.heard = ''; {client(page, pipeline)}.listen({refused},"
               " { error: (error) => heard += error.message }); 0")
    wait("the example's policy forbids the stream", lambda: "content security policy" in page.value("heard"))
    foreign = browser.open(serve("<!doctype html><title>another origin</title>"), PUSH_MANAGER % "[]")
    origin = foreign.value("location.origin")
    browser.send("Browser.grantPermissions", permissions=["notifications"], origin=origin)
    told(foreign, pipeline, f"key: {key}, worker: '/'", "start()", "worker", "carillon-worker.js")
    listener(pipeline, foreign)
    # Our own address is no origin of workers.
    own = browser.open(f"{api}/nothing")
    refused = own.value("navigator.serviceWorker.register('/carillon-worker.js')"
                        ".then(() => 'registered', (error) => error.message)")
    expect("a worker of our own address is refused", "403" in refused, True)


def listener(pipeline, page):
    """Listening needs neither a worker nor permission."""
    ticket = pipeline.post("/v1/stream-tickets", {"topics": ["sports"], "life": "1h"})["ticket"]
    stream = pipeline.announcement["stream"]
    name = client(page, pipeline)

    def listen(with_ticket):
        options = json.dumps({"stream": stream, "ticket": with_ticket, "topics": ["sports"]})
        page.value(f"globalThis.heard = []; globalThis.source = {name}.listen({options}, {{"
                   " push: (push) => heard.push(push.message.default), error: (error) => heard.push(error.code) });")

    listen("no ticket")
    wait("the listener is refused", lambda: page.value("heard") == ["ticket"])
    listen(ticket)
    wait("the listener listens", lambda: page.value("source.readyState") == 1)
    pipeline.post("/v1/tasks", {"audience": {"topic": "sports"}, "message": {"body": "2:1"}})
    wait("the listener hears the push", lambda: page.value("heard") == ["2:1"])
    page.value("source.close()")


def public_key(pipeline):
    """The one in the page."""
    with urllib.request.urlopen(f"{pipeline.announcement['page']}/app.js") as response:
        return re.search(r'key: "([^"]+)"', response.read().decode())[1]


def told(page, pipeline, options, call, code, cure):
    error = page.value(f"{client(page, pipeline, options)}.{call}"
                       ".then(() => [null, ''], (error) => [error.code, error.message])")
    expect(f"the code of {options}", error[0], code)
    if cure not in error[1]:
        sys.exit(f"failed: {options}: {cure!r} is not in {error[1]!r}")
