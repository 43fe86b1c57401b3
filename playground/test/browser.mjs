// Serves the bundled playground and opens it in headless Chromium.

import {readFile} from 'node:fs/promises';
import {createServer} from 'node:http';
import {join, normalize} from 'node:path';
import puppeteer from 'puppeteer-core';

const TYPES = {html: 'text/html', js: 'text/javascript', css: 'text/css', wasm: 'application/wasm'};

async function respond(folder, request, response) {
  const path = normalize(new URL(request.url, 'http://localhost').pathname);
  const file = path.endsWith('/') ? `${path}index.html` : path;
  try {
    const content = await readFile(join(folder, file));
    response.writeHead(200, {'content-type': TYPES[file.split('.').pop()] ?? 'text/plain'}).end(content);
  } catch {
    response.writeHead(404).end();
  }
}

// `missing` is the end of the addresses that do not exist.
export async function serve(folder, missing = null) {
  const server = createServer((request, response) =>
    (missing && request.url.endsWith(missing) ? response.writeHead(404).end() : respond(folder, request, response)));
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {url: `http://127.0.0.1:${server.address().port}/`, close: () => server.close()};
}

export const launch = () => puppeteer.launch({
  executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
  args: ['--no-sandbox', '--disable-dev-shm-usage'],
});

// Opens a page with an empty cache. Errors and requests are collected in `page.errors` and `page.requests`.
export async function open(browser, url, {width = 1280, height = 800, dark = false, wait = true} = {}) {
  const context = await browser.createBrowserContext();
  const page = await context.newPage();
  page.errors = [];
  page.requests = [];
  page.on('pageerror', (error) => page.errors.push(error.message));
  page.on('console', (message) => message.type() === 'error' && page.errors.push(message.text()));
  page.on('request', (request) => page.requests.push(request.url()));
  await page.setViewport({width, height});
  await page.emulateMediaFeatures([{name: 'prefers-color-scheme', value: dark ? 'dark' : 'light'}]);
  await page.goto(url);
  if (wait) await checked(page);
  return page;
}

// Waits until the findings belong to the text.
export const checked = (page) => page.waitForFunction(() => performance.getEntriesByName('findings').length > 0);

export const texts = (page, selector) => page.$$eval(selector, (nodes) => nodes.map((node) => node.textContent));

// Waits until an element contains a text.
export const contains = (page, selector, text) => page.waitForFunction(
  (query, part) => document.querySelector(query)?.textContent.includes(part), {timeout: 10_000}, selector, text);
