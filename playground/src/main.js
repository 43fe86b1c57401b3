// Starts the worker and loads the program. The page with the editor is larger, and loads at the same time.

import {load} from '../../npm/lib/browser.mjs';
import {Engine} from './engine.js';

async function load_module(url) {
  const response = await fetch(url);
  if (!response.ok) throw new Error(`the server answers ${response.status}`);
  return (await load(response)).module;
}

const module = load_module(new URL('sparsecfg.wasm', import.meta.url));
const engine = new Engine(new URL('worker.js', import.meta.url), module);
const page = await import('./page.js');
await page.start(engine);
