#!/usr/bin/env node
// Runs the command line on the real file system.

import {readFileSync} from 'node:fs';
import process from 'node:process';
import {programView} from '../lib/paths.mjs';

// node marks its WASI as experimental. The message would appear on every run.
const emitWarning = process.emitWarning;
process.emitWarning = (warning, ...rest) => {
  if (rest[0] !== 'ExperimentalWarning' && rest[0]?.type !== 'ExperimentalWarning') emitWarning.call(process, warning, ...rest);
};
const {WASI} = await import('node:wasi');

const {args, folder, preopens} = programView({
  args: process.argv.slice(2), folder: process.cwd(), windows: process.platform === 'win32',
});
const env = {...process.env, PWD: folder};
if (process.stdout.columns) env.COLUMNS = String(process.stdout.columns);
const wasi = new WASI({version: 'preview1', args: ['sparsecfg', ...args], env, preopens, returnOnExit: true});
const module = new WebAssembly.Module(readFileSync(new URL('../sparsecfg.wasm', import.meta.url)));
process.exitCode = wasi.start(new WebAssembly.Instance(module, wasi.getImportObject()));
