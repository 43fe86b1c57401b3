// The page's side of the worker. One request runs at a time. A request that waits is replaced by a newer one of the same
// kind, so that typing never builds up a queue.

const LIMIT = 20_000; // milliseconds; a request that takes longer ends with a new worker

export class Engine {
  #worker = null;
  #running = null;
  #waiting = new Map();
  #count = 0;

  constructor(url) {
    this.url = url;
    this.#start();
  }

  // Runs the program: `args` are its arguments, `files` maps names to text or bytes. Resolves to {status, stdout,
  // stderr, milliseconds}, or to null if a newer request of this kind replaced this one.
  run(kind, args, files) {
    return new Promise((resolve, reject) => {
      this.#waiting.get(kind)?.resolve(null);
      this.#waiting.set(kind, {id: ++this.#count, args, files, resolve, reject});
      this.#next();
    });
  }

  #start() {
    this.#worker = new Worker(this.url, {type: 'module', name: 'sparsecfg'});
    this.#worker.onmessage = ({data}) => this.#settle(data.id, data);
    this.#worker.onerror = (event) => this.#fail(event.message || 'the worker could not be started');
  }

  #next() {
    if (this.#running || this.#waiting.size === 0) return;
    const [kind, request] = this.#waiting.entries().next().value;
    this.#waiting.delete(kind);
    const timer = setTimeout(() => this.#fail(`no answer after ${LIMIT / 1000} seconds`), LIMIT);
    this.#running = {...request, timer};
    this.#worker.postMessage({id: request.id, args: request.args, files: request.files});
  }

  #settle(id, answer) {
    if (this.#running?.id !== id) return;
    const {resolve, reject, timer} = this.#running;
    clearTimeout(timer);
    this.#running = null;
    if (answer.failure) reject(new Error(answer.failure));
    else resolve(answer);
    this.#next();
  }

  #fail(reason) {
    this.#worker.terminate();
    this.#start();
    this.#settle(this.#running?.id, {failure: reason});
  }
}
