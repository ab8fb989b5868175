// Requests, and the session that they belong to.

export class Problem extends Error {
  constructor(status, body, retryAfter) {
    super(body?.detail || body?.title || (status ? `The server answered ${status}.` : "The server cannot be reached."));
    this.status = status;
    this.retryAfter = retryAfter;
    this.fields = (body?.errors ?? []).map((one) => ({
      path: one.field ?? one.path ?? "", text: one.detail ?? one.message ?? "",
    }));
  }
}

export const enc = encodeURIComponent;

let session = null;
let pageSignal = null;
let whenSignedOut = () => {};

export const currentSession = () => session;
/** Ends the reads of a page that is left. */
export const setPageSignal = (signal) => { pageSignal = signal; };
export const onSignedOut = (work) => { whenSignedOut = work; };

async function request(method, path, { body, headers } = {}) {
  const all = { Accept: "application/json", ...headers };
  if (body !== undefined) all["Content-Type"] = "application/json";
  if (session && method !== "GET") all["Carillon-CSRF"] = session.csrf;
  let response;
  try {
    response = await fetch(path, {
      method, headers: all, signal: method === "GET" && path.startsWith("/apps/") ? pageSignal : null,
      body: body === undefined ? undefined : JSON.stringify(body),
      credentials: "same-origin", redirect: "error", cache: "no-store",
    });
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Problem(0);
  }
  const text = await response.text();
  let value = null;
  try {
    value = text ? JSON.parse(text) : null;
  } catch {
    if (response.ok) throw new Problem(response.status, { detail: "The server's answer is not JSON." });
  }
  if (!response.ok) throw new Problem(response.status, value, response.headers.get("Retry-After"));
  return value;
}

export async function readSession() {
  try {
    session = await request("GET", "/console/session");
  } catch (error) {
    if (error.status !== 401) throw error;
    session = null;
  }
  return session;
}

export async function signIn(key) {
  session = null;
  session = await request("POST", "/console/session", { body: { key } });
  return session;
}

export async function signOut() {
  try {
    await request("DELETE", "/console/session");
  } catch (error) {
    if (error.status !== 401) throw error;
  }
  session = null;
}

/** Asks whether the session is still there, after a 401 or the end of the live stream. */
export async function checkSession() {
  const before = session;
  if (!before) return;
  if (await readSession() === null) {
    const isOver = Date.parse(before.ends) <= Date.now();
    whenSignedOut(isOver ? "The session ended after its 12 hours." :
      "The session ended: its key was revoked, or you signed out in another tab.");
  }
}

export async function callConsole(method, path, options) {
  return guarded(method, `/console${path}`, options);
}

async function guarded(method, path, options) {
  try {
    return await request(method, path, options);
  } catch (error) {
    if (error.status === 401) await checkSession().catch(() => {});
    throw error;
  }
}

/** The native API of one app. */
export class App {
  constructor({ app, scopes }) {
    this.name = app;
    this.scopes = new Set(scopes);
    this.path = `/apps/${enc(app)}/v1`;
  }

  may(scopes) {
    return scopes.length === 0 || scopes.some((scope) => this.scopes.has(scope));
  }

  get(path) { return guarded("GET", this.path + path); }
  post(path, body, options) { return guarded("POST", this.path + path, { ...options, body }); }
  put(path, body) { return guarded("PUT", this.path + path, { body }); }
  remove(path) { return guarded("DELETE", this.path + path); }
}
