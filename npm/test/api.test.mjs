import assert from 'node:assert/strict';
import {spawnSync} from 'node:child_process';
import {existsSync} from 'node:fs';
import process from 'node:process';
import test from 'node:test';
import {fileURLToPath} from 'node:url';
import {optionWords} from '../lib/browser.mjs';
import {MemoryFiles} from '../lib/memory_files.mjs';

test('options become words of the command line', () => {
  const {words, files} = optionWords({
    stepsPerEpoch: 10, allowLoss: true, verbose: false, epochs: undefined, ai8x: 2025, select: ['SP1', 'SP2'],
    set: {lr: 0.1, name: 'a'}, params: ['one', 'two'], filename: 'x.md',
  });
  assert.deepEqual(words, [
    '--steps-per-epoch=10', '--allow-loss', '--ai8x=2025', '--select=SP1', '--select=SP2', '--set=lr=0.1', '--set=name=a',
    '--params', '.options/params.txt',
  ]);
  assert.deepEqual(files, {'.options/params.txt': 'one\ntwo\n'});
});

test('an old node is reported in one line', () => {
  // node 18 has no such method.
  const older = 'data:text/javascript,import {WASI} from "node:wasi"; delete WASI.prototype.getImportObject';
  const program = fileURLToPath(new URL('../bin/sparsecfg.mjs', import.meta.url));
  const done = spawnSync(process.execPath, ['--no-warnings', '--import', older, program, 'version'], {encoding: 'utf8'});
  assert.equal(done.status, 2);
  assert.match(done.stderr, /^sparsecfg: node 20 or later is required, this is node [\d.]+\n$/);
});

test('a file has one place', () => {
  assert.throws(() => new MemoryFiles({'a': 'x', 'a/b': 'y'}), /`a` is a file/);
  assert.throws(() => new MemoryFiles({'a/b': 'x', 'a': 'y'}), /is a folder/);
  assert.throws(() => new MemoryFiles({'.': 'x'}), /not a path/);
});

test('a file may have any name', () => {
  const names = ['__proto__', 'constructor', 'toString'];
  const files = new MemoryFiles(Object.fromEntries(names.map((name) => [name, 'x'])));
  assert.deepEqual(Object.keys(files.all()), names.map((name) => `/${name}`));
});

const built = existsSync(new URL('../sparsecfg.wasm', import.meta.url));
const needsModule = {skip: built ? false : 'sparsecfg.wasm is not built'};
const api = built ? await import('../lib/node.mjs') : undefined;

const recipe = `modifiers:
- !EpochRangeModifier
  start_epoch: 0.0
  end_epoch: 4.0
- !GMPruningModifier
  start_epoch: 1.0
  end_epoch: 3.0
  update_frequency: 1.0
  init_sparsity: 0.05
  final_sparsity: 0.8
  params: [conv1.weight]
`;

test('a recipe without errors', needsModule, () => {
  const result = api.validate(recipe);
  assert.equal(result.ok, true);
  assert.equal(result.dialect, 'sparseml');
  assert.equal(result.summary.errors, 0);
});

test('a finding has its place and its fix', needsModule, () => {
  const {ok, findings} = api.validate(recipe.replace('final_sparsity', 'final_sparsty'));
  const finding = findings.find(({code}) => code === 'SP105');
  assert.equal(ok, false);
  assert.equal(finding.span.start.line, 10);
  assert.equal(finding.fix.edits[0].text, 'final_sparsity');
});

test('names of parameters are matched', needsModule, () => {
  assert.ok(api.validate(recipe, {params: ['fc.weight']}).findings.some(({code}) => code === 'MD901'));
  assert.ok(!api.validate(recipe, {params: ['conv1.weight']}).findings.some(({code}) => code === 'MD901'));
});

test('text that is not YAML gives a finding', needsModule, () => {
  const {ok, findings} = api.validate('modifiers: [');
  assert.equal(ok, false);
  assert.equal(findings.length, 1);
});

test('fixes are applied', needsModule, () => {
  assert.match(api.fix(recipe.replace('final_sparsity', 'final_sparsty'), {unsafe: true}), /final_sparsity: 0.8/);
});

test('timelines', needsModule, () => {
  assert.equal(typeof api.timeline(recipe, {stepsPerEpoch: 10}), 'object');
  assert.match(api.timeline(recipe, {format: 'svg', stepsPerEpoch: 10}), /^<svg/);
});

test('conversions', needsModule, () => {
  const {text, report} = api.convert(recipe, {to: 'distiller', stepsPerEpoch: 10, allowLoss: true});
  assert.match(text, /version: 1/);
  assert.equal(typeof report, 'object');
});

test('formats', needsModule, () => {
  assert.equal(api.format(recipe.replace('[conv1.weight]', '[ conv1.weight ]')), api.format(recipe));
});

test('a text that cannot be formatted throws', needsModule, () => {
  assert.throws(() => api.format('modifiers: ['), api.SparsecfgError);
});

test('files in memory are rewritten in place', needsModule, () => {
  const broken = recipe.replace('init_sparsity: 0.05', 'init_sparsity: 0');
  const {files} = api.run(['validate', '--fix', 'recipes'], {files: {'recipes/one.yaml': broken}});
  assert.equal(files['recipes/one.yaml'], recipe.replace('init_sparsity: 0.05', 'init_sparsity: 0.0'));
});

test('the language server answers', needsModule, () => {
  const message = (value) => {
    const body = JSON.stringify({jsonrpc: '2.0', ...value});
    return `Content-Length: ${body.length}\r\n\r\n${body}`;
  };
  const {stdout, status} = api.run(['lsp'], {
    stdin: [
      message({id: 1, method: 'initialize', params: {capabilities: {}}}),
      message({method: 'initialized', params: {}}),
      message({method: 'textDocument/didOpen', params: {textDocument: {uri: 'file:///a.yaml', languageId: 'yaml', version: 1, text: recipe.replace('final_sparsity', 'final_sparsty')}}}),
      message({id: 2, method: 'shutdown'}), message({method: 'exit'}),
    ].join(''),
  });
  assert.equal(status, 0);
  assert.match(stdout, /SP105/);
});
