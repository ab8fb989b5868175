// Numbers, times and names as text.

const integers = new Intl.NumberFormat("en");
const times = new Intl.DateTimeFormat("en-GB", { dateStyle: "medium", timeStyle: "medium" });
const relativeTimes = new Intl.RelativeTimeFormat("en", { numeric: "auto" });

export const OUTCOMES = [
	"delivered", "failed", "invalid", "invalid_removed", "expired", "suppressed", "cancelled", "unknown",
];

export const PLATFORMS = ["ios", "android", "web", "windows", "http"];

const NAMES = {
	ios: "iOS", android: "Android", web: "Web", windows: "Windows", http: "HTTP", apns: "Apple", fcm: "Google",
	huawei: "Huawei", webpush: "Web Push", wns: "Windows (WNS)", mpns: "Windows Phone",
	invalid_removed: "invalid, removed", local_time: "local time", quiet_hours: "quiet hours",
};

export const nameOf = (value) => Object.hasOwn(NAMES, value) ? NAMES[value] : String(value);
export const count = (value) => integers.format(value ?? 0);
export const plural = (value, noun) => `${count(value)} ${noun}${value === 1 ? "" : "s"}`;
export const share = (part, whole) => whole > 0 ? `${(100 * part / whole).toFixed(part === whole ? 0 : 1)} %` : "–";
export const fullTime = (value) => times.format(new Date(value));

const UNITS = [["day", 86400], ["hour", 3600], ["minute", 60], ["second", 1]];

export function relative(value) {
	const seconds = (new Date(value) - Date.now()) / 1000;
	const [unit, length] = UNITS.find(([, length]) => Math.abs(seconds) >= length) ?? UNITS[3];
	return relativeTimes.format(Math.round(seconds / length), unit);
}

export function duration(milliseconds) {
	const seconds = milliseconds / 1000;
	if (seconds < 1) return `${Math.round(milliseconds)} ms`;
	if (seconds < 60) return `${seconds.toFixed(1)} s`;
	const minutes = Math.floor(seconds / 60);
	return minutes < 60 ? `${minutes} min ${Math.round(seconds % 60)} s` :
		`${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

export const endedDevices = (counts) => OUTCOMES.reduce((sum, name) => sum + (counts[name] ?? 0), 0);

export const isOpen = ({ state }) => state === "sending" || state === "accepted";

export function stateOf({ state, cancelled }) {
	if (!cancelled) return state;
	return state === "closed" ? "cancelled" : "cancelling";
}

/** Devices a second, smoothed, from counts that a task shows one after the other. */
export class Rate {
	perSecond = 0;

	note(value) {
		const now = performance.now();
		this.last ??= { value, now };
		const seconds = (now - this.last.now) / 1000;
		if (seconds >= 0.4) {
			const measured = Math.max(0, value - this.last.value) / seconds;
			this.perSecond = this.perSecond < 1 ? measured : 0.6 * this.perSecond + 0.4 * measured;
			this.last = { value, now };
		}
		return this.perSecond;
	}
}
