// Elements from texts. Nothing that comes from a recipe is ever parsed as HTML.

export function element(name, attributes = {}, ...children) {
  const node = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (key.startsWith('on')) node.addEventListener(key.slice(2), value);
    else if (value !== undefined && value !== false) node.setAttribute(key, value === true ? '' : value);
  }
  node.append(...children.filter((child) => child !== null && child !== undefined));
  return node;
}

// Converts text in backticks to code elements.
export function prose(text) {
  return text.split('`').map((part, at) => (at % 2 === 1 ? element('code', {}, part) : part));
}
