// Runs the program in a Web Worker. Each request gets a new instance of the module, so that no request sees the state of
// another one.

import {load} from '../../npm/lib/browser.mjs';

let program;

function answer({id, args, files}, sparsecfg) {
  const begin = performance.now();
  const {status, stdout, stderr, memory} = sparsecfg.run(args, {files});
  self.postMessage({id, status, stdout, stderr, memory, milliseconds: performance.now() - begin});
}

self.onmessage = async ({data}) => {
  if (data.module) {
    program = load(data.module);
    return;
  }
  try {
    answer(data, await program);
  } catch (error) {
    self.postMessage({id: data.id, failure: String(error?.message ?? error)});
  }
};
