// Elements. Everything from outside becomes a text node or an attribute, never markup.

const SVG = "http://www.w3.org/2000/svg";
const SVG_NAMES = new Set(["svg", "path", "polyline", "line", "circle", "rect"]);

/**
 * `h("p.fine", { title: "…" }, "text")`. The attributes may be left out; those named `on…` are listeners, and null,
 * undefined and false leave one out.
 */
export function h(tag, ...children) {
  const [name, ...classes] = tag.split(".");
  const attributes = children[0]?.constructor === Object ? children.shift() : {};
  const element = SVG_NAMES.has(name) ? document.createElementNS(SVG, name) : document.createElement(name);
  if (classes.length) element.setAttribute("class", classes.join(" "));
  for (const [key, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (key.startsWith("on")) element.addEventListener(key.slice(2), value);
    else if (key === "value") element.value = value;
    else element.setAttribute(key, value === true ? "" : value);
  }
  add(element, children);
  return element;
}

export function add(element, children) {
  for (const child of children.flat(Infinity)) {
    if (child !== null && child !== undefined && child !== false) element.append(child);
  }
}

export function replace(element, ...children) {
  element.replaceChildren();
  add(element, children);
}

/** A text node that `set` changes only if its text differs. */
export function setText(node, text) {
  if (node.nodeValue !== text) node.nodeValue = text;
}

/** Runs the newest of several calls in the next frame. */
export function onFrame(work) {
  let pending = null;
  return (...values) => {
    const isWaiting = pending !== null;
    pending = values;
    if (isWaiting) return;
    requestAnimationFrame(() => {
      const newest = pending;
      pending = null;
      work(...newest);
    });
  };
}

export function debounce(milliseconds, work) {
  let timer = 0;
  return (...values) => {
    clearTimeout(timer);
    timer = setTimeout(() => work(...values), milliseconds);
  };
}

let lastNumber = 0;
export const newID = (name) => `${name}-${++lastNumber}`;
