#!/usr/bin/env node
// Runs the command line on the real file system. The streams of `process` are not touched unless they are terminals,
// because node makes pipes non-blocking when it opens them.

import {readFileSync} from 'node:fs';
import {isatty} from 'node:tty';
import {programView} from '../lib/paths.mjs';

const EAGAIN = 6;

// node marks its WASI as experimental. The message would appear on every run.
const emitWarning = process.emitWarning;
process.emitWarning = (warning, ...rest) => {
  if (rest[0] !== 'ExperimentalWarning' && rest[0]?.type !== 'ExperimentalWarning') emitWarning.call(process, warning, ...rest);
};
const {WASI} = await import('node:wasi');
if (typeof WASI.prototype.getImportObject !== 'function') {
  console.error(`sparsecfg: node 20 or later is required, this is node ${process.versions.node}`);
  process.exit(2);
}

// Returns a call that waits and tries again as long as a non-blocking stream of the parent is not ready.
function blocking(call) {
  const never = new Int32Array(new SharedArrayBuffer(4));
  return (...args) => {
    let error = call(...args);
    while (error === EAGAIN) {
      Atomics.wait(never, 0, 0, 5);
      error = call(...args);
    }
    return error;
  };
}

const {args, folder, preopens} = programView({
  args: process.argv.slice(2), folder: process.cwd(), windows: process.platform === 'win32',
});
const env = {...process.env, PWD: folder};
if (isatty(1)) env.COLUMNS = String(process.stdout.columns);
const wasi = new WASI({version: 'preview1', args: ['sparsecfg', ...args], env, preopens, returnOnExit: true});
// WebAssembly calls native functions without a frame of JavaScript, in which node 20 aborts if a garbage collection starts
// during the call. Functions of JavaScript around them prevent that.
const calls = Object.fromEntries(
  Object.entries(wasi.getImportObject().wasi_snapshot_preview1).map(([name, call]) => [name, (...args) => call(...args)]));
const imports = {wasi_snapshot_preview1: {...calls, fd_read: blocking(calls.fd_read), fd_write: blocking(calls.fd_write)}};
const module = new WebAssembly.Module(readFileSync(new URL('../sparsecfg.wasm', import.meta.url)));
process.exitCode = wasi.start(new WebAssembly.Instance(module, imports));
