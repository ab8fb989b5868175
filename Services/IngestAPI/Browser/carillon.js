// Carillon's client for web pages, used as docs/web-push.md says, together with carillon-worker.js.

const TIME_LIMIT = 15_000;
const SUBSCRIPTION_TIME_LIMIT = 30_000;
// start() asks the service at most once in this time if nothing has changed.
const RENEWAL = 3_600_000;

/** What every method rejects with; `message` says what to do. */
export class CarillonError extends Error {
  constructor(code, message, cause) {
    super(message, { cause });
    this.name = "CarillonError";
    this.code = code;
  }
}

/** Events: `push`, with the data of a push without notification in `detail`; `resubscribed`: call setUser() again. */
export class Carillon extends EventTarget {
  #url;
  #key;
  #worker;
  #scope;
  #registration;

  /** `worker` is a file of this origin that imports carillon-worker.js. */
  constructor({ key, worker = "/carillon-worker.js", url = new URL(".", import.meta.url) }) {
    super();
    if (!key) throw new CarillonError("key", `key is missing; ${keyCommand()} makes one`);
    this.#url = new URL(url, location.href);
    if (!this.#url.pathname.endsWith("/")) this.#url.pathname += "/";
    this.#key = key;
    this.#worker = new URL(worker, document.baseURI);
    this.#scope = new URL(".", this.#worker).href;
    navigator.serviceWorker?.addEventListener("message", ({ data }) => {
      if (data?.carillon === "push") this.dispatchEvent(new CustomEvent("push", { detail: data.data }));
      if (data?.carillon === "resubscribed") this.dispatchEvent(new Event("resubscribed"));
    });
    navigator.serviceWorker?.startMessages();
  }

  /** For every page: registers the worker, renews the device, returns state(). */
  async start({ userToken } = {}) {
    const state = await this.state();
    if (state !== "unsupported") await this.#ready();
    if (state === "on") await this.#exclusively((device) => device && this.#renew(device, { userToken }));
    return state;
  }

  /** "unsupported", "denied", "off" or "on" */
  async state() {
    if (unsupported()) return "unsupported";
    if (Notification.permission === "denied") return "denied";
    return Notification.permission === "granted" && (await this.#stored()) ? "on" : "off";
  }

  /** Asks for permission, subscribes, registers. Call it at a click. */
  async enable({ topics, userToken } = {}) {
    // Before anything else: Safari and Firefox ask only while they handle the click.
    await askPermission();
    await this.#ready();
    await this.#exclusively((device) => this.#renew(device && { ...device, renewed: 0 }, { topics, userToken }));
  }

  /** Unsubscribes this browser and removes its device. */
  async disable() {
    await this.#ready();
    await this.#exclusively(async (device) => {
      await (await this.#registration.pushManager.getSubscription())?.unsubscribe();
      await store("readwrite", (devices) => devices.delete(this.#scope));
      if (device) await this.#remove(device);
    });
  }

  /** Gives the device to the user for whom your backend has signed `token`. */
  setUser(token) {
    return this.#change((device) => this.#renew(device, { userToken: String(token) }));
  }

  /** Signs the user out; the topics remain. */
  clearUser() {
    return this.#change(async (device) => {
      const former = { ...device, topics: await this.#topics(device), renewed: 0 };
      await this.#keep(former);
      await this.#remove(former);
      await this.#renew(former);
    });
  }

  /** `[{name, silent}]` */
  topics() {
    return this.#change((device) => this.#topics(device));
  }

  /** `silent` leaves the topic's pushes without notification. */
  subscribe(name, { silent = false } = {}) {
    return this.#setTopic(name, [{ name, silent }]);
  }

  unsubscribe(name) {
    return this.#setTopic(name, []);
  }

  /** Listens to topics while the page is open; see docs/stream.md. */
  listen({ stream, ticket, topics }, { push, gap, error } = {}) {
    const events = topics.map(encodeURIComponent).join("+");
    const source = new EventSource(`${stream}/subscribe?events=${events}&ticket=${encodeURIComponent(ticket)}`);
    source.addEventListener("message", (message) => push?.(JSON.parse(message.data)));
    source.addEventListener("gap", () => gap?.());
    source.addEventListener("error", () => {
      // Otherwise the browser connects again by itself.
      if (source.readyState !== EventSource.CLOSED) return;
      const cure = "listen again with a new ticket; the page's content security policy must allow the address";
      error?.(new CarillonError("ticket", `${stream} was refused; ${cure}`));
    });
    return source;
  }

  /** Registers the worker and waits until it can receive pushes. */
  async #ready() {
    requireSupport();
    if (this.#registration) return;
    const line = `importScripts("${new URL("carillon-worker.js", this.#url)}")`;
    try {
      const registration = await navigator.serviceWorker.register(this.#worker, { scope: this.#scope });
      if (!registration.active) await activation(registration.installing ?? registration.waiting);
      this.#registration = registration;
    } catch (error) {
      throw new CarillonError("worker", `${this.#worker} does not start; its content must be ${line}`, error);
    }
  }

  async #change(act) {
    await this.#ready();
    return this.#exclusively((device) => {
      if (!device) throw new CarillonError("off", "not subscribed; call enable() first");
      return act(device);
    });
  }

  /** One page or worker at a time: two would overwrite each other's topics. */
  #exclusively(act) {
    return navigator.locks.request("carillon", async () => act(await this.#stored()));
  }

  #setTopic(name, added) {
    return this.#change(async (device) => {
      const others = (await this.#topics(device)).filter((topic) => topic.name !== name);
      await this.#renew(device, { topics: others.concat(added) });
    });
  }

  /** Subscribes if necessary, and registers. `device` is what was stored at the last time, if anything. */
  async #renew(device, { topics, userToken } = {}) {
    const manager = this.#registration.pushManager;
    let subscription = await manager.getSubscription();
    const language = navigator.language;
    const timeZone = Intl.DateTimeFormat().resolvedOptions().timeZone;
    const isSame = device?.endpoint === subscription?.endpoint && device?.key === this.#key &&
      device.language === language && device.timeZone === timeZone;
    if (isSame && !topics && !userToken && Date.now() - device.renewed < RENEWAL) return;
    const { public_key: publicKey } = await this.#call("GET", "v1/web-push-key");
    if (subscription && device?.publicKey !== publicKey) {
      // It is bound to the key with which it was made.
      await subscription.unsubscribe();
      subscription = null;
    }
    subscription ??= await subscribed(manager, publicKey);
    const register = (topics) => this.#call("PUT", "v1/devices", {
      body: { subscription, language, time_zone: timeZone, topics, user_token: userToken },
    });
    let answer = await register(topics);
    // A new device: the subscription is another one, or the service has removed the former.
    if (device && device.id !== answer.id && !topics) answer = await register(await this.#topics(device));
    const { id } = answer;
    const { endpoint } = subscription;
    await this.#keep({
      url: this.#url.href, key: this.#key, publicKey, endpoint, id, topics: answer.topics, language, timeZone,
      renewed: Date.now(),
    });
    // If this fails, the next push to the former subscription is refused, which removes its device.
    if (device && device.endpoint !== endpoint) await this.#remove(device).catch(() => {});
  }

  /** Your backend may have changed them. */
  async #topics(device) {
    const known = await this.#call("GET", `v1/devices/${device.id}`, { token: device.endpoint });
    return known?.topics ?? device.topics;
  }

  #remove(device) {
    return this.#call("DELETE", `v1/devices/${device.id}`, { token: device.endpoint });
  }

  #stored() {
    return store("readonly", (devices) => devices.get(this.#scope));
  }

  #keep(device) {
    return store("readwrite", (devices) => devices.put(device, this.#scope));
  }

  /** Undefined for an unknown device. */
  async #call(method, path, { body, token } = {}) {
    const headers = { Authorization: `Bearer ${this.#key}` };
    if (body) headers["Content-Type"] = "application/json";
    if (token) headers["Carillon-Device-Token"] = token;
    let response, text;
    try {
      response = await fetch(new URL(path, this.#url), {
        method, headers, body: body && JSON.stringify(body), credentials: "omit", cache: "no-store",
        signal: AbortSignal.timeout(TIME_LIMIT),
      });
      text = await response.text();
    } catch (error) {
      const cure = `if it runs, ${keyCommand()} makes a key for this page`;
      throw new CarillonError("unreachable", `${this.#url} does not answer; ${cure}`, error);
    }
    if (response.ok) return text && JSON.parse(text);
    if (!token || response.status !== 404) throw refusal(response, text);
  }
}

function keyCommand() {
  return `carillon apps key APP --public --origin ${location.origin}`;
}

function unsupported() {
  if (!isSecureContext) return "push notifications need https; open this page over https";
  if ("serviceWorker" in navigator && "PushManager" in window && "Notification" in window) return;
  return "this browser has no push notifications; on iPhone and iPad, open this page from the home screen";
}

function requireSupport() {
  const reason = unsupported();
  if (reason) throw new CarillonError("unsupported", reason);
}

async function askPermission() {
  requireSupport();
  const permission = await Notification.requestPermission();
  if (permission === "denied") throw denied();
  if (permission !== "granted") throw new CarillonError("dismissed", "the visitor has not decided; ask again later");
}

function denied(cause) {
  const text = "notifications are blocked; the visitor must allow them for this page in the browser's settings";
  return new CarillonError("denied", text, cause);
}

function activation(worker) {
  return new Promise((resolve, reject) => {
    worker.addEventListener("statechange", () => {
      if (worker.state === "activated") resolve();
      if (worker.state === "redundant") reject(new Error("the worker was not installed"));
    });
  });
}

/** Chromium waits for a push service that is out of reach without end; other pages wait for the lock meanwhile. */
async function subscribed(manager, publicKey) {
  const signal = AbortSignal.timeout(SUBSCRIPTION_TIME_LIMIT);
  const late = new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
  try {
    return await Promise.race([manager.subscribe({ userVisibleOnly: true, applicationServerKey: publicKey }), late]);
  } catch (error) {
    if (error.name === "NotAllowedError") throw denied(error);
    const text = "the browser's push service gave no subscription; it must be reachable, and on in the settings";
    throw new CarillonError("push_service", text, error);
  }
}

function refusal(response, text) {
  let problem = {};
  try {
    problem = JSON.parse(text);
  } catch {
    // The page of a proxy.
  }
  const fields = (problem.errors ?? []).map((error) => `${error.field}: ${error.detail}`);
  const reason = [problem.detail, ...fields].join("; ");
  const key = ["key", `; ${keyCommand()} makes a key`];
  const busy = ["busy", `; try again in ${response.headers.get("Retry-After") ?? 60} s`];
  const [code, cure] = { 401: key, 403: key, 429: busy, 503: busy }[response.status] ?? ["refused", ""];
  return new CarillonError(code, `Carillon answered ${response.status}: ${reason}${cure}`);
}

/** Page and worker share a record for each worker, by its scope. */
async function store(mode, act) {
  let database;
  try {
    const opening = indexedDB.open("carillon", 1);
    opening.onupgradeneeded = () => {
      for (const name of ["devices", "receipts"]) opening.result.createObjectStore(name);
    };
    await end(opening, "success");
    database = opening.result;
    const transaction = database.transaction("devices", mode);
    const request = act(transaction.objectStore("devices"));
    await end(transaction, "complete");
    return request.result;
  } catch (error) {
    throw new CarillonError("storage", "the browser stores no data for this page; the visitor must allow it", error);
  } finally {
    database?.close();
  }
}

function end(work, name) {
  return new Promise((resolve, reject) => {
    work[`on${name}`] = resolve;
    work.onerror = work.onabort = () => reject(work.error);
  });
}
