// The list of findings, and the same findings for the editor.

import {element, prose} from './html.js';
import {units} from './positions.js';

const SEVERITIES = ['error', 'warning', 'info'];

const counted = (count, noun) => `${count} ${noun}${count === 1 ? '' : 's'}`;

const fix_name = (fix) => (fix.applicability === 'safe' ? 'Apply fix' : 'Apply unsafe fix');

// Reads the output of `validate --format json`. Returns findings with offsets of the editor, errors first.
export function read(stdout, text) {
  const [file] = JSON.parse(stdout).files;
  const at = units(text);
  const range = (span) => ({from: at(span.start.byte), to: at(span.end.byte)});
  const findings = (file?.diagnostics ?? []).map((each) => ({
    ...each,
    ...range(each.span),
    line: each.span.start.line,
    column: each.span.start.column,
    changes: each.fix?.edits.map((edit) => ({...range(edit.span), insert: edit.text})),
  }));
  findings.sort((a, b) => SEVERITIES.indexOf(a.severity) - SEVERITIES.indexOf(b.severity));
  return {dialect: file?.dialect ?? null, findings};
}

export function summary({dialect, findings}) {
  const parts = SEVERITIES
    .map((severity) => [findings.filter((each) => each.severity === severity).length, severity])
    .filter(([count]) => count > 0)
    .map(([count, severity]) => (severity === 'info' ? counted(count, 'note') : counted(count, severity)));
  return `${parts.length ? parts.join(', ') : 'No findings'}${dialect ? ` (${dialect})` : ''}`;
}

// `apply(finding)` makes the change of its fix. Underlines end with the first line, because a finding can concern a whole
// section.
export function diagnostics({findings}, text, apply) {
  const end_of_line = (at) => (text.indexOf('\n', at) < 0 ? text.length : text.indexOf('\n', at));
  return findings.map((each) => ({
    from: each.from,
    to: Math.min(each.to, end_of_line(each.from)),
    severity: each.severity,
    source: each.code,
    message: each.message + (each.help ? `\nhelp: ${each.help}` : ''),
    actions: each.changes ? [{name: fix_name(each.fix), apply: () => apply(each)}] : [],
  }));
}

export function list({findings}, {apply, select, docs}) {
  return findings.map((each) =>
    element('li', {class: each.severity},
      element('p', {},
        element('span', {class: 'severity'}, each.severity), ' ',
        element('a', {href: docs + each.page, title: each.name}, each.code), ' ',
        element('button', {class: 'place', title: 'Show in the editor', onclick: () => select(each)},
          `line ${each.line}`),
        ' ', ...prose(each.message)),
      each.help ? element('p', {class: 'help'}, 'help: ', ...prose(each.help)) : null,
      each.changes ? element('button', {class: 'fix', onclick: () => apply(each)}, fix_name(each.fix)) : null));
}
