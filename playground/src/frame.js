// The document of the timeline's frame. The frame is sandboxed: it shows the page that `timeline --format html` writes,
// and shares neither origin nor storage with the playground.

import interact from '../../lib/picture/page.js';

// Returns the parts of a page that the frame shows. The page of a one-shot recipe has no data.
export function parts_of(read) {
  return ['picture', 'course', 'data'].map((id) => read.getElementById(id)).filter(Boolean);
}

// The links of the picture lead to places in the source, which the playground's editor shows.
function point_to_lines(read) {
  for (const link of read.querySelectorAll('#picture a[href^="#a"]')) {
    const line = read.getElementById(link.getAttribute('href').slice(1))?.closest('[id^="L"]');
    if (line) link.setAttribute('href', `#${line.id}`);
  }
}

function show(page) {
  const read = new DOMParser().parseFromString(page, 'text/html');
  document.head.querySelectorAll('style').forEach((style) => style.remove());
  document.head.append(...read.querySelectorAll('head style'));
  const main = document.createElement('main');
  const title = main.appendChild(document.createElement('h1'));
  title.textContent = 'Timeline';
  title.style.cssText = 'position: absolute; clip-path: inset(50%)';
  point_to_lines(read);
  main.append(...parts_of(read));
  document.body.replaceChildren(main);
  if (document.getElementById('data')) interact();
}

const height = () => parent.postMessage({height: document.documentElement.offsetHeight}, '*');

document.addEventListener('click', (event) => {
  const target = event.target.closest('a[href^="#L"]');
  if (!target) return;
  event.preventDefault();
  parent.postMessage({line: Number(target.getAttribute('href').slice(2))}, '*');
});
window.addEventListener('message', (event) => {
  if (event.source === parent) show(event.data.page);
});
new ResizeObserver(height).observe(document.documentElement);
parent.postMessage({ready: true}, '*');
