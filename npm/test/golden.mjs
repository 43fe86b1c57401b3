// Runs the golden cases of testdata/ through WebAssembly and compares both outputs, the status and the fixes with the
// recorded ones. The cases of testdata/truth are not golden cases.
//
//   node test/golden.mjs                the host of the API, all cases in this process
//   node test/golden.mjs --launcher     a process of bin/sparsecfg.mjs for each case, as `npx` starts it; no fixes
//   node test/golden.mjs PATTERN ...    only the cases whose path contains the pattern

import {spawnSync} from 'node:child_process';
import {existsSync, readFileSync, readdirSync, statSync} from 'node:fs';
import {join} from 'node:path';
import process from 'node:process';
import {fileURLToPath} from 'node:url';
import {MemoryFiles} from '../lib/memory_files.mjs';
import {WasiHost} from '../lib/wasi_host.mjs';

const testdata = fileURLToPath(new URL('../../testdata', import.meta.url));
const launcher = fileURLToPath(new URL('../bin/sparsecfg.mjs', import.meta.url));
const recipe = /\.(yaml|yml|md|json|py|ipynb)$/;
const neededFolders = new Set(['after', 'models', 'names', 'next']);

const words = process.argv.slice(2);
const usesLauncher = words.includes('--launcher');
const patterns = words.filter((word) => word !== '--launcher');

function filesBelow(folder) {
  return readdirSync(join(testdata, folder)).sort().flatMap((name) => {
    const path = folder === '' ? name : `${folder}/${name}`;
    return statSync(join(testdata, path)).isDirectory() ? filesBelow(path) : [path];
  });
}

const paths = filesBelow('');
const cases = paths.filter((path) => {
  const parts = path.split('/');
  const isCase = parts.length >= 3 && parts[0] !== 'truth' && recipe.test(path) && !parts.slice(1, -1).some((part) => neededFolders.has(part));
  return isCase && (patterns.length === 0 || patterns.some((pattern) => path.includes(pattern)));
});

const recorded = (path) => (existsSync(join(testdata, path)) ? readFileSync(join(testdata, path), 'utf8') : '');

let files;
let module;
if (!usesLauncher) {
  files = new MemoryFiles();
  for (const path of paths) files.write(`/testdata/${path}`, readFileSync(join(testdata, path)));
  module = new WebAssembly.Module(readFileSync(new URL('../sparsecfg.wasm', import.meta.url)));
}

function run(args) {
  if (usesLauncher) {
    const env = {PATH: process.env.PATH, NO_COLOR: '1'};  // no locale, so that plots are ASCII
    const result = spawnSync(process.execPath, [launcher, ...args], {cwd: testdata, encoding: 'utf8', env, maxBuffer: 1 << 28});
    return {status: result.status ?? result.signal, stdout: result.stdout, stderr: result.stderr};
  }
  try {
    return new WasiHost({args: ['sparsecfg', ...args], env: {PWD: '/testdata', NO_COLOR: '1'}, files}).run(module);
  } catch (error) {
    return {status: String(error), stdout: '', stderr: ''};
  }
}

function differences(path) {
  const [command, dialect] = path.split('/');
  const stem = path.replace(recipe, '');
  const more = recorded(`${stem}.args`).split(/\s+/).filter(Boolean).map((word) => word.replace('{dir}', `${command}/${dialect}`));
  const out = [];
  const compare = (what, got, expected) => got === expected || out.push({what, got, expected});
  const result = run([command, path, ...more]);
  compare('status', result.status, stem.split('/').at(-1).startsWith('bad-') ? 1 : 0);
  compare('.out', result.stdout, recorded(`${stem}.out`));
  compare('.err', result.stderr, recorded(`${stem}.err`));
  if (command === 'validate' && !usesLauncher) {
    const safe = run([command, path, '--diff', '--verbose', ...more]).stdout;
    const all = run([command, path, '--diff', '--verbose', '--unsafe-fixes', ...more]).stdout;
    compare('.diff', safe, recorded(`${stem}.diff`));
    compare('.unsafe-diff', all === safe ? '' : all, recorded(`${stem}.unsafe-diff`));
  }
  return out;
}

let failed = 0;
for (const path of cases) {
  const found = differences(path);
  if (found.length > 0) ++failed;
  for (const {what, got, expected} of found) {
    const at = typeof got === 'string' ? [...got].findIndex((c, index) => c !== expected[index]) : 0;
    console.log(`${path}: ${what}: ${JSON.stringify(String(got).slice(Math.max(at - 40, 0), at + 100))}`);
  }
}
console.log(`${cases.length} cases, ${cases.length - failed} as recorded, ${failed} different`);
process.exitCode = failed === 0 ? 0 : 1;
