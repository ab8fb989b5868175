// Elements. Everything from outside becomes a text node or an attribute, never markup.

const SVG_NAMES = ["svg", "polyline", "line"];

const isAbsent = (value) => value === null || value === undefined || value === false;

/**
 * `h("p.fine", { title: "…" }, "text")`. The attributes may be left out; those named `on…` are listeners, and null,
 * undefined and false leave one out.
 */
export function h(tag, ...children) {
	const [name, ...classes] = tag.split(".");
	const attributes = children[0]?.constructor === Object ? children.shift() : {};
	const element = SVG_NAMES.includes(name) ? document.createElementNS("http://www.w3.org/2000/svg", name) :
		document.createElement(name);
	if (classes.length) element.setAttribute("class", classes.join(" "));
	for (const [key, value] of Object.entries(attributes)) {
		if (isAbsent(value)) continue;
		if (key.startsWith("on")) element.addEventListener(key.slice(2), value);
		else if (key === "value") element.value = value;
		else element.setAttribute(key, value === true ? "" : value);
	}
	element.append(...present(children));
	return element;
}

const present = (children) => children.flat(Infinity).filter((child) => !isAbsent(child));

export function replace(element, ...children) {
	element.replaceChildren(...present(children));
}

/** A text node that `set` changes only if its text differs. */
export function setText(node, text) {
	if (node.nodeValue !== text) node.nodeValue = text;
}

export function debounce(milliseconds, work) {
	let timer = 0;
	return () => {
		clearTimeout(timer);
		timer = setTimeout(work, milliseconds);
	};
}

let lastNumber = 0;
export const newID = (name) => `${name}-${++lastNumber}`;
