// Requests, and the session that they belong to.

export class Problem extends Error {
	constructor(status, body, retryAfter) {
		const text = body?.detail || body?.title || (status ? `The server answered ${status}.` :
			"The server cannot be reached.");
		super(retryAfter ? `${text} Try again in ${retryAfter} s.` : text);
		this.status = status;
		this.fields = (body?.errors ?? []).map((one) => ({ path: one.field ?? "", text: one.detail }));
	}
}

export const enc = encodeURIComponent;

let session = null;
let pageSignal = null;
let whenSignedOut = null;

export const currentSession = () => session;
/** Ends the reads of a page that is left. */
export const setPageSignal = (signal) => { pageSignal = signal; };
export const onSignedOut = (work) => { whenSignedOut = work; };

async function request(method, path, body, headers) {
	const response = await fetch(path, {
		method,
		headers: { ...(body && { "Content-Type": "application/json" }), ...(session && { "Carillon-CSRF": session.csrf }),
			...headers },
		body: body && JSON.stringify(body),
		signal: method === "GET" && path.startsWith("/apps/") ? pageSignal : null,
		redirect: "error",
		cache: "no-store",
	}).catch((error) => {
		throw error.name === "AbortError" ? error : new Problem(0);
	});
	if (!response.ok) {
		const body = await response.json().catch(() => null);
		throw new Problem(response.status, body, response.headers.get("Retry-After"));
	}
	const text = await response.text();
	return text ? JSON.parse(text) : null;
}

const nullIfSignedOut = (error) => {
	if (error.status !== 401) throw error;
	return null;
};

export async function readSession() {
	return session = await request("GET", "/console/session").catch(nullIfSignedOut);
}

export async function signIn(key) {
	session = null;
	session = await request("POST", "/console/session", { key });
}

export async function signOut() {
	await request("DELETE", "/console/session").catch(nullIfSignedOut);
	session = null;
}

/** Asks whether the session is still there, after a 401 or the end of the live stream. */
export async function checkSession() {
	const before = session;
	if (!before || await readSession()) return;
	whenSignedOut(Date.parse(before.ends) <= Date.now() ? "The session ended after its 12 hours." :
		"The session ended: its key was revoked, or you signed out in another tab.");
}

export async function call(...parts) {
	try {
		return await request(...parts);
	} catch (error) {
		if (error.status === 401) await checkSession().catch(() => {});
		throw error;
	}
}

/** The native API of one app. */
export class App {
	constructor({ app, scopes }) {
		this.name = app;
		this.scopes = scopes;
		this.path = `/apps/${enc(app)}/v1`;
	}

	may(...scopes) {
		return scopes.some((scope) => this.scopes.includes(scope));
	}

	/** The address of a page. */
	link(path, query = {}) {
		const all = new URLSearchParams(session.apps.length > 1 ? { ...query, app: this.name } : query).toString();
		return `#/${path}${all && `?${all}`}`;
	}

	get(path) { return call("GET", this.path + path); }
	post(path, body, headers) { return call("POST", this.path + path, body, headers); }
	put(path, body) { return call("PUT", this.path + path, body); }
	remove(path) { return call("DELETE", this.path + path); }
}
