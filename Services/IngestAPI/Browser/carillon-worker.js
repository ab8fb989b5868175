// Carillon's part of a service worker; docs/web-push.md says how to use it. The worker of a page imports this file.
// It leaves alone the notifications that others show.

(() => {
  const TIME_LIMIT = 15_000;
  // Receipts that could not be sent, for the next time. The oldest are dropped first.
  const RECEIPTS_MAXIMUM = 100;
  // What the service accepts as the name of an action.
  const ACTION = /^[A-Za-z0-9._-]{1,64}$/;
  const OPTIONS = [
    "body", "icon", "image", "badge", "tag", "lang", "dir", "silent", "renotify", "requireInteraction", "timestamp",
    "vibrate",
  ];

  self.addEventListener("push", (event) => event.waitUntil(receive(event)));

  self.addEventListener("notificationclick", (event) => {
    const known = event.notification.data?.carillon;
    if (!known) return;
    event.notification.close();
    const { action } = event;
    const kind = ACTION.test(action) ? { kind: "action", action } : { kind: "opened" };
    // The window first: the browser allows it only for a moment after the click.
    event.waitUntil(Promise.allSettled([open(known.actions[action] ?? known.navigate), report(known.proof, kind)]));
  });

  self.addEventListener("notificationclose", (event) => {
    const known = event.notification.data?.carillon;
    if (known) event.waitUntil(report(known.proof, { kind: "dismissed" }));
  });

  self.addEventListener("pushsubscriptionchange", (event) => {
    event.waitUntil(resubscribe(event.newSubscription));
  });

  async function receive({ data, notification, appBadge }) {
    let message;
    try {
      // A browser that has read a declarative push itself gives the notification in place of the data.
      message = data ? data.json() : { notification, app_badge: appBadge };
    } catch {
      message = { data: data.text() };
    }
    const proof = proofOf(message);
    if (message?.notification?.title) {
      await show(message, proof);
    } else {
      await tellPages({ carillon: "push", data: message?.data ?? message });
    }
    await report(proof, { kind: "delivered" });
  }

  /** Shown here, also in place of the browser, since a click is told only for what a worker has shown. */
  async function show(message, proof) {
    const notification = message.notification;
    const options = {};
    for (const name of OPTIONS) if (notification[name]) options[name] = notification[name];
    const actions = Array.isArray(notification.actions) ? notification.actions : [];
    options.actions = actions.map(({ action, title, icon }) => ({ action, title, icon }));
    options.data = {
      ...notification.data,
      carillon: {
        proof, navigate: notification.navigate,
        actions: Object.fromEntries(actions.map(({ action, navigate }) => [action, navigate])),
      },
    };
    try {
      await self.registration.showNotification(notification.title, options);
    } catch {
      // An option that this browser refuses must not cost the whole notification.
      const { body, data } = options;
      await self.registration.showNotification(notification.title, { body, data });
    }
    const badge = Number(message.app_badge ?? notification.app_badge);
    if (Number.isInteger(badge) && badge >= 0) await navigator.setAppBadge?.(badge).catch(() => {});
  }

  /** What a receipt needs; undefined in a push that cannot be reported. */
  function proofOf(message) {
    for (const part of [message?.notification?.data, message?.data, message]) {
      if (part?.task_id && part.task_proof) return { task: part.task_id, proof: part.task_proof };
    }
  }

  /** Focuses the window that already shows the address, else opens one. */
  async function open(address) {
    const target = new URL(address ?? ".", self.registration.scope);
    if (!["https:", "http:"].includes(target.protocol)) return;
    const windows = await self.clients.matchAll({ type: "window", includeUncontrolled: true });
    const shows = (window) =>
      address ? window.url === target.href : window.url.startsWith(self.registration.scope);
    const window = windows.find(shows);
    return window ? window.focus() : self.clients.openWindow(target);
  }

  async function tellPages(message) {
    const windows = await self.clients.matchAll({ type: "window", includeUncontrolled: true });
    for (const window of windows) window.postMessage(message);
  }

  /** Sends the receipt, with those that could not be sent before. */
  async function report(proof, kind) {
    if (!proof) return;
    const at = new Date().toISOString();
    await navigator.locks.request("carillon receipts", async () => {
      const device = await stored("devices");
      if (!device) return;
      const waiting = (await stored("receipts")) ?? [];
      const receipts = [...waiting, { ...proof, device: device.id, ...kind, at }].slice(-RECEIPTS_MAXIMUM);
      const isSettled = await sent(device, receipts);
      await keep("receipts", isSettled ? [] : receipts);
    });
  }

  /** False if the same receipts should be sent again. */
  async function sent(device, receipts) {
    try {
      const response = await call(device, "POST", "v1/receipts", { body: { receipts } });
      return response.ok || response.status === 400;
    } catch {
      return false;
    }
  }

  /** The browser has replaced its subscription, or ended it. */
  async function resubscribe(given) {
    const device = await stored("devices");
    if (!device) return;
    // Without the lock, since Chromium may wait for its push service for minutes.
    const subscription = given ?? (await self.registration.pushManager.subscribe({
      userVisibleOnly: true, applicationServerKey: device.publicKey,
    }));
    await navigator.locks.request("carillon", () => replace(subscription));
  }

  /** The user of the device is not known here: pages are told, and set it again. */
  async function replace(given) {
    const device = await stored("devices");
    if (!device) return;
    // A page may have subscribed anew since.
    const subscription = (await self.registration.pushManager.getSubscription()) ?? given;
    if (subscription.endpoint === device.endpoint) return;
    const { language, timeZone } = device;
    const former = await call(device, "GET", `v1/devices/${device.id}`, { token: device.endpoint });
    const topics = former.ok ? (await former.json()).topics : device.topics;
    const response = await call(device, "PUT", "v1/devices", {
      body: { subscription, language, time_zone: timeZone, topics },
    });
    // The next page that calls start() tries again.
    if (!response.ok) return;
    const { id } = await response.json();
    await keep("devices", { ...device, id, topics, endpoint: subscription.endpoint });
    await tellPages({ carillon: "resubscribed" });
    if (device.id !== id) await call(device, "DELETE", `v1/devices/${device.id}`, { token: device.endpoint });
  }

  function call(device, method, path, { body, token }) {
    const headers = { Authorization: `Bearer ${device.key}` };
    if (body) headers["Content-Type"] = "application/json";
    if (token) headers["Carillon-Device-Token"] = token;
    return fetch(new URL(path, device.url), {
      method, headers, body: body && JSON.stringify(body), credentials: "omit", cache: "no-store", keepalive: true,
      signal: AbortSignal.timeout(TIME_LIMIT),
    });
  }

  function stored(name) {
    return store(name, "readonly", (values) => values.get(self.registration.scope));
  }

  function keep(name, value) {
    return store(name, "readwrite", (values) => values.put(value, self.registration.scope));
  }

  /** The database of carillon.js. */
  async function store(name, mode, act) {
    const opening = indexedDB.open("carillon", 1);
    opening.onupgradeneeded = () => {
      for (const name of ["devices", "receipts"]) opening.result.createObjectStore(name);
    };
    await end(opening, "success");
    const database = opening.result;
    try {
      const transaction = database.transaction(name, mode);
      const request = act(transaction.objectStore(name));
      await end(transaction, "complete");
      return request.result;
    } finally {
      database.close();
    }
  }

  function end(work, name) {
    return new Promise((resolve, reject) => {
      work[`on${name}`] = resolve;
      work.onerror = work.onabort = () => reject(work.error);
    });
  }
})();
