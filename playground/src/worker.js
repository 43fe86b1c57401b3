// Runs the program in a Web Worker. Each request gets a new instance of the module, so that no request sees the state of
// another one.

import {load} from '../../npm/lib/browser.mjs';

const program = load(fetch(new URL('sparsecfg.wasm', import.meta.url)));

self.onmessage = async ({data: {id, args, files}}) => {
  try {
    const sparsecfg = await program;
    const begin = performance.now();
    const {status, stdout, stderr} = sparsecfg.run(args, {files});
    self.postMessage({id, status, stdout, stderr, milliseconds: performance.now() - begin});
  } catch (error) {
    self.postMessage({id, failure: String(error?.message ?? error)});
  }
};
