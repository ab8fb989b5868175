// Elements. Everything from outside becomes a text node or an attribute, never markup.

const SVG_NAMES = ["svg", "polyline"];

const isAbsent = (value) => value === null || value === undefined || value === false;

/** `h("p.fine", { title: "…", onclick: work }, "text")`; null, undefined and false leave a part out. */
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

/** Draws an element anew only if `shown` differs from the last time. */
export function redraw(element, shown, draw) {
	if (element.dataset.shown === shown) return;
	element.dataset.shown = shown;
	replace(element, draw());
}

export const textNode = (text = "") => document.createTextNode(text);

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
