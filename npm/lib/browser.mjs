// The API for browsers and workers, and for everything else that has WebAssembly. Files are in memory.
//
//   const sparsecfg = await load(fetch('sparsecfg.wasm'));
//   const {findings} = sparsecfg.validate(text, {stepsPerEpoch: 100});

import {MemoryFiles} from './memory_files.mjs';
import {WasiHost} from './wasi_host.mjs';

const FOLDER = '/project';

// Options whose value is the content of a file, as a string or as a list of lines.
const FILE_OPTIONS = new Set(['model', 'params', 'modules', 'qatPolicy']);
// Options of this API that the program does not have.
const OWN_OPTIONS = new Set(['filename', 'files']);

export class SparsecfgError extends Error {
  constructor(result, args) {
    super(result.stderr.trim() || `sparsecfg ${args.join(' ')} exited with ${result.status}`);
    this.name = 'SparsecfgError';
    this.status = result.status;
    this.stderr = result.stderr;
  }
}

// Compiles the module. `source` is a response or the promise of one, bytes, or a compiled module.
export async function load(source) {
  const given = await source;
  if (given instanceof WebAssembly.Module) return new Sparsecfg(given);
  if (typeof Response === 'undefined' || !(given instanceof Response)) return new Sparsecfg(await WebAssembly.compile(given));
  const streams = given.headers.get('content-type')?.startsWith('application/wasm');
  return new Sparsecfg(streams ? await WebAssembly.compileStreaming(given) : await WebAssembly.compile(await given.arrayBuffer()));
}

export class Sparsecfg {
  constructor(module) {
    this.module = module;
  }

  // Runs the command line on files in memory. Paths in `files` and `args` are relative to one folder. Returns the exit
  // status, both outputs, and all files as they are afterwards.
  run(args, {stdin = '', files = {}, env = {}} = {}) {
    const memory = new MemoryFiles({[`${FOLDER}/.git/HEAD`]: ''});
    for (const [path, content] of Object.entries(files)) memory.write(absolute(path), content);
    const host = new WasiHost({
      args: ['sparsecfg', ...args], env: {PWD: FOLDER, LANG: 'C.UTF-8', NO_COLOR: '1', ...env}, stdin, files: memory,
    });
    const result = host.run(this.module);
    return {...result, files: relativeFiles(memory)};
  }

  // Returns the findings of a recipe, which has no errors if `ok` is true.
  validate(text, options = {}) {
    const result = this.runOn('validate', text, options, ['--format', 'json']);
    if (result.status > 1) throw new SparsecfgError(result, ['validate']);
    const report = JSON.parse(result.stdout);
    const [file] = report.files;
    return {
      ok: result.status === 0, dialect: file?.dialect ?? null, findings: file?.diagnostics ?? [], summary: report.summary,
      failures: report.failures,
    };
  }

  // Returns the recipe with all safe fixes applied, and the unsafe ones if `unsafe` is true.
  fix(text, {unsafe = false, ...options} = {}) {
    const result = this.runOn('validate', text, options, ['--fix', ...(unsafe ? ['--unsafe-fixes'] : [])]);
    if (result.status > 1) throw new SparsecfgError(result, ['validate', '--fix']);
    return result.stdout;
  }

  // Returns the timeline: an object for the format `json`, the text for all others.
  timeline(text, {format = 'json', ...options} = {}) {
    const out = this.textOf('timeline', text, options, ['--format', format]);
    return format === 'json' ? JSON.parse(out) : out;
  }

  // Returns the converted recipe, or null if it cannot be converted, and the report.
  convert(text, {to, ...options} = {}) {
    const result = this.runOn('convert', text, options, ['--to', to, '--report', 'json']);
    if (result.status > 1) throw new SparsecfgError(result, ['convert']);
    return {text: result.status === 0 ? result.stdout : null, report: parsedOr(result.stderr)};
  }

  // Returns the formatted recipe.
  format(text, options = {}) {
    return this.textOf('normalize', text, options, []);
  }

  version() {
    return this.run(['--version']).stdout.trim();
  }

  textOf(command, text, options, args) {
    const result = this.runOn(command, text, options, args);
    if (result.status !== 0) throw new SparsecfgError(result, [command]);
    return result.stdout;
  }

  runOn(command, text, options, args) {
    const {words, files} = optionWords(options);
    const name = options.filename ?? 'recipe.yaml';
    return this.run([command, '-', '--stdin-filename', name, ...args, ...words], {stdin: text, files});
  }
}

// Turns {stepsPerEpoch: 10, set: {lr: 0.1}, unsafeFixes: true} into words of the command line. Contents of files are put
// into `files`.
export function optionWords(options) {
  const words = [];
  const files = {...options.files};
  for (const [name, value] of Object.entries(options)) {
    if (OWN_OPTIONS.has(name) || value === undefined || value === null || value === false) continue;
    const option = `--${name.replace(/[A-Z0-9]+/g, (part, at) => (at > 0 && /[A-Z]/.test(part) ? '-' : '') + part.toLowerCase())}`;
    if (FILE_OPTIONS.has(name)) {
      const path = `.options/${name}.txt`;
      files[path] = Array.isArray(value) ? `${value.join('\n')}\n` : value;
      words.push(option, path);
    } else {
      words.push(...wordsOf(option, value));
    }
  }
  return {words, files};
}

function wordsOf(option, value) {
  if (value === true) return [option];
  if (Array.isArray(value)) return value.flatMap((one) => [`${option}=${one}`]);
  if (typeof value === 'object') return Object.entries(value).map(([key, one]) => `${option}=${key}=${written(one)}`);
  return [`${option}=${value}`];
}

function written(value) {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function absolute(path) {
  return path.startsWith('/') ? path : `${FOLDER}/${path}`;
}

function relativeFiles(memory) {
  const named = ([path, text]) => [path.startsWith(`${FOLDER}/`) ? path.slice(FOLDER.length + 1) : path, text];
  return Object.fromEntries(Object.entries(memory.all()).filter(([path]) => path !== `${FOLDER}/.git/HEAD`).map(named));
}

function parsedOr(text) {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
