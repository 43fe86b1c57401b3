// Uses the bundled playground as a reader of the site does. PLAYGROUND is the folder that ci/playground.sh has written.

import assert from 'node:assert/strict';
import {readFile} from 'node:fs/promises';
import {createRequire} from 'node:module';
import {after, before, test} from 'node:test';
import {deflateRawSync} from 'node:zlib';
import {checked, contains, launch, open, serve, texts} from './browser.mjs';

const axe_path = createRequire(import.meta.url).resolve('axe-core/axe.min.js');
let browser, server, axe;

before(async () => {
  server = await serve(process.env.PLAYGROUND);
  browser = await launch();
  axe = await readFile(axe_path, 'utf8');
});
after(async () => {
  await browser?.close();
  server?.close();
});

const BAD = 'pruning_modifiers:\n- !GMPruningModifier\nparams: __ALL_PRUNABLE__\n';

// Replaces the text of the editor by typing. The editor indents new lines and closes no brackets.
async function type(page, text) {
  await page.focus('.cm-content');
  await page.keyboard.down('Control');
  await page.keyboard.press('a');
  await page.keyboard.up('Control');
  await page.keyboard.press('Delete');
  await page.keyboard.type(text);
}

const editor_text = (page) => page.$eval('.cm-content', (node) => [...node.querySelectorAll('.cm-line')].map((line) => line.textContent).join('\n'));

async function violations(frame) {
  await frame.evaluate(axe);
  const found = await frame.evaluate(() => globalThis.axe.run(document, {iframes: false}));
  return found.violations.map(({id, nodes}) => `${id}: ${nodes.map((node) => node.html).join(' | ').slice(0, 400)}`);
}

async function timeline_frame(page) {
  await page.waitForSelector('#timeline-frame:not([hidden])');
  const frame = page.frames().find((each) => each.url().endsWith('/frame.html'));
  await frame.waitForSelector('svg.pic');
  return frame;
}

test('a cold load shows the findings of the first example', async (t) => {
  const page = await open(browser, server.url);
  assert.match(await page.$eval('#count', (node) => node.textContent), /^1 warning, 2 notes \(sparseml\)$/);
  assert.ok((await texts(page, '#findings li')).some((text) => text.includes('SP601')));
  assert.ok((await page.$$('.cm-lintRange')).length >= 3);
  await timeline_frame(page);
  const times = await page.evaluate(() => [
    performance.getEntriesByName('findings')[0].startTime,
    performance.getEntriesByName('first-contentful-paint')[0]?.startTime]);
  t.diagnostic(`first finding ${times[0].toFixed(0)} ms after navigation, first paint ${times[1]?.toFixed(0)} ms`);
  assert.deepEqual(page.errors, []);
});

test('nothing leaves the browser', async () => {
  const page = await open(browser, server.url);
  await timeline_frame(page);
  await page.focus('.cm-content');
  const loaded = page.requests.length;
  await page.keyboard.type('# a secret\n');
  await page.waitForFunction(() => document.querySelector('#findings').textContent.includes('line 20'));
  assert.equal(page.requests.length, loaded);
  assert.ok(page.requests.every((url) => url.startsWith(server.url) || url.startsWith('data:')), page.requests.join('\n'));
  const sent = await page.evaluate(() => fetch('https://example.invalid/').then(() => true, () => false));
  assert.equal(sent, false);
  assert.ok(page.errors.some((text) => text.includes('Content Security Policy')));
});

test('typing shows findings, and the time of a keystroke', async (t) => {
  const page = await open(browser, server.url);
  await type(page, BAD);
  await contains(page, '#findings', 'SP');
  assert.match(await page.$eval('#count', (node) => node.textContent), /error/);
  const times = await page.evaluate(async () => {
    const out = [];
    const content = document.querySelector('.cm-content');
    content.focus();
    for (let at = 0; at < 30; ++at) {
      performance.clearMarks('findings');
      const begin = performance.now();
      document.execCommand('insertText', false, '#');
      while (performance.getEntriesByName('findings').length === 0) await new Promise((resolve) => setTimeout(resolve));
      out.push(performance.getEntriesByName('findings')[0].startTime - begin);
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    return out.sort((a, b) => a - b);
  });
  t.diagnostic(`findings ${times[15].toFixed(1)} ms after a keystroke (median of 30, longest ${times[29].toFixed(1)} ms)`);
});

test('a fix in the list changes the text', async () => {
  const page = await open(browser, server.url);
  await page.evaluate(() => [...document.querySelectorAll('#findings .fix')].find((button) => button.textContent === 'Apply fix').click());
  await contains(page, '.cm-content', 'final_lr: 1.0e-4');
  await page.waitForFunction(() => !document.querySelector('#findings').textContent.includes('SP006'));
  await page.keyboard.down('Control');
  await page.keyboard.press('z');
  await page.keyboard.up('Control');
  await contains(page, '#findings', 'SP006');
  assert.deepEqual(page.errors, []);
});

test('a fix in the editor changes the text', async () => {
  const page = await open(browser, server.url);
  await page.hover('.cm-lintRange-warning');
  const action = await page.waitForSelector('.cm-tooltip .cm-diagnosticAction');
  assert.match(await action.evaluate((node) => node.textContent), /Apply unsafe fix/);
  await action.click();
  await contains(page, '.cm-content', String.raw`re:layer.*\.conv.*\.weight`);
  await page.waitForFunction(() => !document.querySelector('#findings').textContent.includes('SP601'));
});

test('tabs show timeline, conversion, settings and formatted text', async () => {
  const page = await open(browser, server.url);
  const frame = await timeline_frame(page);
  assert.match(await frame.$eval('svg.pic', (node) => node.textContent), /learning rate/);
  assert.equal(await frame.evaluate(() => globalThis.origin), 'null');
  await frame.focus('#box');
  await page.keyboard.press('ArrowRight');
  await frame.waitForSelector('#tip:not([hidden])');

  await page.click('#convert-tab');
  await contains(page, '#convert-output', 'AGPPruner');
  await contains(page, '#convert-output', 'not converted');
  await page.select('#to', 'pytorch');
  await contains(page, '#convert-output', 'The recipe was not converted');
  await page.click('#loss');
  await contains(page, '#convert-output', 'import torch');
  await page.click('#inspect-tab');
  await contains(page, '#inspect-output', 'learning rate');
  await page.click('#format-tab');
  await contains(page, '#format-output', 'The recipe is formatted.');
  await page.focus('.cm-content');
  await page.keyboard.type('# note\n\n\n');
  await page.locator('#format-output ::-p-text(Replace the recipe)').click();
  await contains(page, '#format-output', 'The recipe is formatted.');
  assert.deepEqual(page.errors, []);
});

test('a link of the timeline selects its line', async () => {
  const page = await open(browser, server.url);
  const frame = await timeline_frame(page);
  await frame.waitForSelector('svg.pic a[href^="#L"]');
  await frame.$eval('svg.pic a[href^="#L"]', (link) => link.dispatchEvent(new MouseEvent('click', {bubbles: true, cancelable: true})));
  await page.waitForFunction(() => document.activeElement.closest('.cm-editor') !== null);
});

test('options change the findings', async () => {
  const page = await open(browser, server.url);
  await page.select('#example', 'names');
  await contains(page, '#findings', 'MD902');
  await page.$eval('#modules', (field) => {
    field.value = '';
    field.dispatchEvent(new Event('input', {bubbles: true}));
  });
  await page.waitForFunction(() => !document.querySelector('#findings').textContent.includes('MD902'));
  await page.focus('#options');
  await page.keyboard.type('--no-such-option');
  await contains(page, '#findings', '--no-such-option');
});

test('dropped files become the recipe and the names of the model', async () => {
  const page = await open(browser, server.url);
  const drop = (selector, name, text) => page.evaluate((query, file, content) => {
    const data = new DataTransfer();
    data.items.add(new File([content], file));
    document.querySelector(query).dispatchEvent(new DragEvent('drop', {dataTransfer: data, bubbles: true, cancelable: true}));
  }, selector, name, text);
  await drop('.cm-content', 'schedule.yaml', 'version: 1\npruners: {p: {class: AutomatedGradualPruner}}\n');
  await contains(page, '#count', 'distiller');
  assert.equal(await page.$eval('#name', (field) => field.value), 'schedule.yaml');
  await page.select('#example', 'sparseml');
  await contains(page, '#count', 'sparseml');
  await drop('#params', 'names.txt', 'layer1.0.conv1.weight\t64x64x3x3\n');
  await contains(page, '#params-file', 'names.txt');
  await contains(page, '#timeline-command', '--params params-names.txt');
  await contains(page, '#findings', 'MD9');
});

test('a permanent link restores the recipe and the options', async () => {
  const page = await open(browser, server.url);
  await page.select('#example', 'names');
  await contains(page, '#findings', 'MD902');
  await page.focus('.cm-content');
  await page.keyboard.type('# größer 😀\n');
  await page.click('#convert-tab');
  await page.select('#to', 'ir');
  await page.click('#link');
  await page.waitForFunction(() => location.hash.startsWith('#r='));
  const url = page.url();
  const text = await editor_text(page);
  const second = await open(browser, url);
  assert.equal(await editor_text(second), text);
  await contains(second, '#findings', 'MD902');
  assert.equal(await second.$eval('#to', (field) => field.value), 'ir');
  assert.equal(await second.$eval('#convert-tab', (tab) => tab.ariaSelected), 'true');
  assert.deepEqual(second.errors, []);
  // Offsets of findings are right after letters of several bytes.
  assert.match((await texts(second, '.cm-lintRange-warning')).join(''), /experts/);
});

test('a link of a rule page opens its example', async () => {
  const state = {text: 'version: 1\npruners: {}\n', name: 'example.yaml', steps: '', tab: 'inspect', options: '--epochs 7'};
  const packed = deflateRawSync(JSON.stringify(state), {level: 9}).toString('base64url'); // as ci/docs_playground.py does
  const page = await open(browser, `${server.url}#r=${packed}`);
  assert.equal(await editor_text(page), state.text);
  await contains(page, '#inspect-command', 'sparsecfg inspect example.yaml --epochs 7');
  // Another link in the same page.
  await page.evaluate((fragment) => (location.hash = fragment), `r=${deflateRawSync('{"text":"- a\\n"}').toString('base64url')}`);
  await contains(page, '.cm-content', '- a');
});

test('a damaged link shows a message and the first example', async () => {
  for (const fragment of ['#r=AAAA', '#r=%%%', '#r=']) {
    const page = await open(browser, server.url + fragment);
    await contains(page, '#status', 'This link cannot be read');
    await contains(page, '#findings', 'SP601');
    assert.deepEqual(page.errors, []);
  }
});

test('a module that cannot be loaded is reported', async () => {
  const broken = await serve(process.env.PLAYGROUND, 'sparsecfg.wasm');
  try {
    const page = await open(browser, broken.url, {wait: false});
    await contains(page, '#status', 'The program could not be loaded: the server answers 404');
    await contains(page, '#count', 'Not checked');
  } finally {
    broken.close();
  }
});

test('everything works with the keyboard', async () => {
  const page = await open(browser, server.url);
  await page.focus('.cm-content');
  await page.keyboard.press('F8'); // selects the next finding
  await page.waitForSelector('.cm-tooltip-lint, .cm-panel-lint');
  await page.keyboard.press('Escape');
  await page.keyboard.press('Tab'); // leaves the editor
  const reached = [];
  for (let at = 0; at < 30; ++at) {
    const name = await page.evaluate(() => document.activeElement.id || document.activeElement.className);
    reached.push(name);
    if (name === 'fix') break;
    await page.keyboard.press('Tab');
  }
  assert.equal(reached.at(-1), 'fix', reached.join(' '));
  await page.keyboard.press('Enter');
  await page.waitForFunction(() => !document.querySelector('#findings').textContent.includes('SP601'));
  await page.focus('#timeline-tab');
  await page.keyboard.press('ArrowRight');
  await contains(page, '#convert-output', 'AGPPruner');
  await page.keyboard.press('End');
  await contains(page, '#format-output', 'num_epochs');
  assert.equal(await page.evaluate(() => document.activeElement.id), 'format-tab');
  await page.keyboard.press('ArrowRight');
  assert.equal(await page.evaluate(() => document.activeElement.id), 'timeline-tab');
});

for (const [name, size] of Object.entries({
  '1280x800': {}, '390x844': {width: 390, height: 844}, 'dark mode': {dark: true}, 'dark mode, 390x844': {width: 390, height: 844, dark: true},
})) {
  test(`axe-core finds no violation: ${name}`, async () => {
    const page = await open(browser, server.url, size);
    assert.equal(await page.evaluate(() => document.documentElement.scrollWidth > innerWidth), false, 'scrolls sideways');
    assert.deepEqual(await violations(await timeline_frame(page)), []);
    await page.$eval('#settings', (details) => (details.open = true));
    for (const tab of ['timeline', 'convert', 'inspect', 'format']) {
      await page.$eval(`#${tab}-tab`, (node) => node.click());
      await page.waitForFunction((id) => document.getElementById(id).textContent !== '', {}, `${tab}-command`);
      assert.deepEqual(await violations(page.mainFrame()), [], tab);
    }
    if (process.env.SCREENSHOTS) await page.screenshot({path: `${process.env.SCREENSHOTS}/${name.replaceAll(/\W+/g, '-')}.png`});
  });
}

test('the frame of each example shows its chart and nothing else, drawn for its width', async () => {
  const page = await open(browser, server.url);
  const keys = await page.$$eval('#example option', (options) => options.map((option) => option.value).filter(Boolean));
  for (const key of keys) {
    await page.evaluate(() => performance.clearMarks());
    await page.select('#example', key);
    await checked(page);
    await page.$eval('#timeline-tab', (node) => node.click());
    await page.waitForFunction(() => performance.getEntriesByName('tab-timeline').length > 0);
    if (await page.$eval('#timeline-frame', (node) => node.hidden)) {
      assert.match(await page.$eval('#timeline-output', (node) => node.textContent), /error|sparsecfg/, key);
      continue;
    }
    const frame = await timeline_frame(page);
    const stray = await frame.$eval('main', (main) => [...main.childNodes].filter((node) => node.nodeType === 3 && node.data.trim()).map((node) => node.data));
    assert.deepEqual(stray, [], key);
    const scales = await frame.$$eval('svg.pic', (pictures) => pictures.map((each) => each.getBoundingClientRect().width / each.viewBox.baseVal.width).filter(Boolean));
    assert.ok(scales.every((scale) => scale > 0.8 && scale < 1.2), `${key}: ${scales}`);
  }
  assert.deepEqual(page.errors, []);
});

test('a changed text has no example, and the target of a conversion fits the dialect', async () => {
  const page = await open(browser, server.url);
  assert.equal(await page.$eval('#to', (field) => field.value), 'nni');
  await page.select('#example', 'config');
  await contains(page, '#count', 'compressed-tensors');
  assert.equal(await page.$eval('#to', (field) => field.value), 'llm-compressor');
  await page.select('#example', 'sparseml');
  await contains(page, '#count', 'sparseml');
  await page.focus('.cm-content');
  await page.keyboard.type('#');
  assert.equal(await page.$eval('#example', (field) => field.value), '');
});

test('each example has a finding', async () => {
  const page = await open(browser, server.url);
  const keys = await page.$$eval('#example option', (options) => options.map((option) => option.value).filter(Boolean));
  for (const key of keys) {
    await page.evaluate(() => performance.clearMarks('findings'));
    await page.select('#example', key);
    await checked(page);
    assert.match(await page.$eval('#count', (node) => node.textContent), /error|warning/, key);
  }
  assert.deepEqual(page.errors, []);
});
