// Building and updating elements. Text is only ever set as text, so names and filters cannot become markup.

const SVG = "http://www.w3.org/2000/svg";

/** The element with this id; the page promises that it is there. */
export function byId(id) {
  const element = document.getElementById(id);
  if (!element) throw new Error(`the page lacks #${id}`);
  return element;
}

/** An HTML element with attributes and children (nodes or text). */
export function html(tag, attributes = {}, ...children) {
  return filled(document.createElement(tag), attributes, children);
}

/** The same in SVG. */
export function svg(tag, attributes = {}, ...children) {
  return filled(document.createElementNS(SVG, tag), attributes, children);
}

/** Set attributes that changed; null and undefined remove, `text` is the text content. */
export function set(element, attributes) {
  for (const [name, value] of Object.entries(attributes)) {
    if (name === "text") {
      if (element.textContent !== String(value)) element.textContent = value;
    } else if (value === null || value === undefined) {
      element.removeAttribute(name);
    } else if (element.getAttribute(name) !== String(value)) {
      element.setAttribute(name, value);
    }
  }
  return element;
}

/**
 * Make the children of `parent` show `items` in order. Elements are kept by key, so that focus and
 * selection survive an update.
 */
export function reconcile(parent, items, key, create, update) {
  const kept = new Map([...parent.children].map((child) => [child.dataset.key, child]));
  let place = parent.firstElementChild;
  for (const item of items) {
    const id = String(key(item));
    let element = kept.get(id);
    if (element) kept.delete(id);
    else {
      element = create(item);
      element.dataset.key = id;
    }
    update(element, item);
    if (element === place) place = place.nextElementSibling;
    else parent.insertBefore(element, place);
  }
  for (const element of kept.values()) element.remove();
}

function filled(element, attributes, children) {
  set(element, attributes);
  element.append(...children.filter((child) => child !== null && child !== undefined));
  return element;
}
