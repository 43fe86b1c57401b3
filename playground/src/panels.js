// The panels of the tabs. Each runs one command and shows its output.

import {element, prose} from './html.js';

const FIDELITY = {not_compared: 'not compared', not_converted: 'not converted'};

// Shows why a command failed. Findings are left out if there is another reason, because the page has a list of them.
function failed(answer) {
  const reasons = answer.stderr.split('\n').filter((line) => line.startsWith('sparsecfg: '));
  const text = reasons.join('\n') || answer.stderr.trim() || `exit status ${answer.status}`;
  return element('pre', {class: 'output failed', tabindex: 0, role: 'region', 'aria-label': 'Error'}, text);
}

// Copies text to the clipboard. The button says so.
function copy_button(text) {
  const button = element('button', {onclick: async () => {
    await navigator.clipboard.writeText(text);
    button.textContent = 'Copied';
    setTimeout(() => (button.textContent = 'Copy'), 1500);
  }}, 'Copy');
  return button;
}

function output(text, label) {
  return element('pre', {class: 'output', tabindex: 0, role: 'region', 'aria-label': label}, text);
}

// The report of a conversion is the JSON at the end of standard error, after findings.
function report_of(stderr) {
  const at = stderr.search(/^\{$/m);
  if (at < 0) return {findings: stderr, report: null};
  return {findings: stderr.slice(0, at), report: JSON.parse(stderr.slice(at))};
}

function action_row(action, select_line) {
  const name = `${action.class}${action.ordinal ? `#${action.ordinal}` : ''}`;
  const difference = action.difference ? ` Largest difference: ${action.difference.max} at step ${action.difference.step}.` : '';
  return element('tr', {},
    element('td', {}, action.line ? element('button', {class: 'place', onclick: () => select_line(action.line)}, name) : name),
    element('td', {class: `fidelity ${action.fidelity}`}, FIDELITY[action.fidelity] ?? action.fidelity),
    element('td', {}, ...prose(action.reason ?? ''), difference));
}

function report_table({actions, notes}, select_line) {
  const head = element('thead', {}, element('tr', {},
    ...['part', 'result', 'reason'].map((name) => element('th', {scope: 'col'}, name))));
  const parts = [element('div', {class: 'scroll', tabindex: 0, role: 'region', 'aria-label': 'Conversion report'},
    element('table', {}, head, element('tbody', {}, ...actions.map((each) => action_row(each, select_line)))))];
  if (notes?.length) parts.push(element('pre', {class: 'notes', tabindex: 0, role: 'region', 'aria-label': 'Notes'}, notes.join('\n')));
  return parts;
}

// Says why there is no converted recipe. Only dropped parts can be allowed.
function reason_of(report, answer) {
  const dropped = report.actions.some((each) => each.fidelity === 'dropped');
  return dropped ? 'The recipe was not converted, because parts of it would be dropped.' : `The recipe was not converted. ${answer.stderr.slice(0, answer.stderr.search(/^\{$/m)).trim()}`;
}

function conversion(answer, page) {
  const {report} = report_of(answer.stderr);
  if (!report) return [failed(answer)];
  const parts = [element('h2', {}, 'Report'), ...report_table(report, page.select_line)];
  if (answer.stdout) parts.unshift(element('div', {class: 'actions'}, copy_button(answer.stdout)), output(answer.stdout, 'Converted recipe'));
  else parts.unshift(element('p', {class: 'hint'}, reason_of(report, answer)));
  return parts;
}

function formatted(answer, page) {
  if (answer.status > 1 || !answer.stdout) return [failed(answer)];
  if (answer.stdout === page.state.text) return [element('p', {class: 'hint'}, 'The recipe is formatted.'), output(answer.stdout, 'Formatted recipe')];
  return [
    element('div', {class: 'actions'},
      element('button', {onclick: () => page.replace_text(answer.stdout)}, 'Replace the recipe'), copy_button(answer.stdout)),
    output(answer.stdout, 'Formatted recipe')];
}

const plain = (label) => (answer) => (answer.stdout ? [output(answer.stdout, label)] : [failed(answer)]);

// `own` returns the options of the command that only this panel uses.
export const PANELS = {
  timeline: {command: 'timeline', own: () => ['--format', 'html'], show: (answer, page) => page.show_timeline(answer)},
  convert: {command: 'convert', own: (state) => ['--to', state.to, ...(state.loss ? ['--allow-loss'] : []), '--report', 'json'], show: conversion},
  inspect: {command: 'inspect', own: () => [], show: plain('Settings')},
  format: {command: 'normalize', own: () => [], show: formatted},
};

export {failed};
