// The page: its state, and what happens when a part of it changes.

import {Editor} from './editor.js';
import {EXAMPLES} from './examples.js';
import {accept_drops, read_model} from './files.js';
import * as findings from './findings.js';
import {element} from './html.js';
import {decode, encode} from './link.js';
import {failed, PANELS} from './panels.js';
import {request} from './request.js';
import {Tabs} from './tabs.js';
import {Timeline} from './timeline.js';

const $ = (id) => document.getElementById(id);
const DOCS = '../';
const INPUTS = ['name', 'steps', 'params', 'modules', 'options', 'to', 'loss'];
const EMPTY = {name: 'recipe.yaml', steps: '100', params: '', modules: '', options: '', to: 'sparseml', loss: '', tab: 'timeline'};

// The form that users of a dialect most often convert to.
const TARGETS = {
  ai8x: 'pytorch', 'compressed-tensors': 'llm-compressor', distiller: 'sparseml', ir: 'pytorch', 'llm-compressor': 'compressed-tensors',
  nni: 'sparseml', sparseml: 'nni',
};

// A checkbox has the values '1' and ''.
const value_of = (field) => (field.type === 'checkbox' ? (field.checked ? '1' : '') : field.value);

function set_value(field, value) {
  if (field.type === 'checkbox') field.checked = value !== '';
  else field.value = value;
}

let engine; // of main.js, which starts it before this file is loaded
const editor = new Editor($('editor'), () => changed());
const tabs = new Tabs($('tabs'), () => show_tab());
const timeline = new Timeline($('timeline-frame'), (line) => editor.select_line(line));
const model_files = {};
let target_chosen = false; // by the reader or a link
let loaded = true; // false if loading failed

const page = {
  get state() {
    const inputs = Object.fromEntries(INPUTS.map((key) => [key, value_of($(key))]));
    return {...inputs, text: editor.text, tab: tabs.selected, files: model_files};
  },
  select_line: (line) => editor.select_line(line),
  replace_text: (text) => editor.replace(text, $('name').value),
  show_timeline(answer) {
    const drawn = answer.status === 0 || answer.stdout.startsWith('<!DOCTYPE');
    $('timeline-frame').hidden = !drawn;
    if (drawn) timeline.show(answer.stdout);
    return drawn ? [] : [failed(answer)];
  },
};

function announce(text) {
  $('status').textContent = text;
}

// --- findings

function apply(finding, doc) {
  if (editor.view.state.doc !== doc) return; // the offsets belong to an older text; new findings are on their way
  editor.change(finding.changes);
  editor.view.focus();
}

async function validate() {
  const doc = editor.view.state.doc;
  const {state} = page;
  const {args, files} = request('validate', state, ['--format', 'json']);
  const answer = await engine.run('validate', args, files);
  if (!answer || editor.view.state.doc !== doc) return;
  if (!answer.stdout) {
    $('findings').replaceChildren(element('li', {class: 'error'}, failed(answer)));
    $('count').textContent = 'Not checked';
    editor.show([]);
    return;
  }
  const found = findings.read(answer.stdout, state.text);
  const apply_here = (finding) => apply(finding, doc);
  editor.show(findings.diagnostics(found, state.text, apply_here));
  $('findings').replaceChildren(...findings.list(found, {
    apply: apply_here, select: (each) => editor.select(each.from, each.to), docs: DOCS,
  }));
  $('count').textContent = findings.summary(found);
  suggest_target(found.dialect);
  performance.mark('findings', {detail: {milliseconds: answer.milliseconds, memory: answer.memory}});
}

function suggest_target(dialect) {
  const target = TARGETS[dialect];
  if (target_chosen || !target || $('to').value === target) return;
  $('to').value = target;
  if (tabs.selected === 'convert') reported(show_tab);
}

// --- tabs

async function show_tab() {
  const {state} = page;
  const panel = PANELS[state.tab];
  const asked = request(panel.command, state, panel.own(state));
  const answer = await engine.run('tab', asked.args, asked.files);
  if (!answer || tabs.selected !== state.tab) return;
  $(`${state.tab}-command`).textContent = asked.shown;
  $(`${state.tab}-output`).replaceChildren(...panel.show(answer, page));
  performance.mark(`tab-${state.tab}`);
}

function reported(work) {
  return work().catch((error) => loaded && announce(`Error: ${error.message}`));
}

function changed() {
  const example = EXAMPLES[$('example').value];
  if (example && editor.text !== example.state.text) $('example').value = '';
  reported(validate);
  reported(show_tab);
}

// --- state

function set_state(state) {
  const all = {...EMPTY, ...state};
  for (const key of INPUTS) set_value($(key), all[key]);
  if (!$('to').value) $('to').value = EMPTY.to;
  target_chosen = Boolean(state.to);
  for (const key of Object.keys(model_files)) forget_model(key);
  tabs.select(all.tab, true);
  $('settings').open = Boolean(all.params || all.modules || all.options);
  editor.replace(all.text, all.name);
}

function show_example(key) {
  $('example').value = key;
  set_state(EXAMPLES[key].state);
}

async function read_link() {
  try {
    const state = await decode(location.hash);
    if (!state) return false;
    set_state(state);
    $('example').value = '';
    return true;
  } catch (error) {
    announce(`This link cannot be read: ${error.message}`);
    return false;
  }
}

async function copy_link() {
  const {files, ...state} = page.state;
  const fragment = await encode(state);
  history.replaceState(null, '', fragment);
  const dropped = Object.keys(files).length > 0 ? ' Dropped model files are not part of it.' : '';
  try {
    await navigator.clipboard.writeText(location.href);
    announce(`Link copied.${dropped}`);
  } catch {
    announce(`The link is in the address bar.${dropped}`);
  }
}

// --- files

function forget_model(key) {
  delete model_files[key];
  $(`${key}-file`).replaceChildren();
}

async function take_model(key, file) {
  model_files[key] = await read_model(file);
  $(`${key}-file`).replaceChildren(`${file.name} `, element('button', {onclick: () => {
    forget_model(key);
    changed();
  }}, `Remove ${file.name}`));
  changed();
}

async function take_recipe(file) {
  const text = await file.text();
  $('name').value = file.name;
  $('example').value = '';
  editor.replace(text, file.name);
}

function listen() {
  for (const [key, {title}] of Object.entries(EXAMPLES)) $('example').append(element('option', {value: key}, title));
  $('example').addEventListener('change', (event) => event.target.value && show_example(event.target.value));
  $('link').addEventListener('click', () => reported(copy_link));
  $('open').addEventListener('change', (event) => event.target.files[0] && take_recipe(event.target.files[0]));
  $('to').addEventListener('input', () => (target_chosen = true));
  for (const key of INPUTS) $(key).addEventListener('input', changed);
  $('name').addEventListener('input', () => editor.set_language($('name').value));
  accept_drops($('editor'), take_recipe);
  for (const key of ['params', 'modules']) accept_drops($(key), (file) => take_model(key, file));
  window.addEventListener('hashchange', read_link);
}

export async function start(given) {
  engine = given;
  engine.ready.catch((error) => {
    loaded = false;
    $('count').textContent = 'Not checked';
    announce(`The program could not be loaded: ${error.message}`);
  });
  listen();
  if (!(await read_link())) show_example(Object.keys(EXAMPLES)[0]);
}
