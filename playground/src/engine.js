// The page's side of the worker. One request runs at a time. A request that waits is replaced by a newer one of the same
// kind, so that typing never builds up a queue.

const LIMIT = 20_000; // milliseconds; a request that takes longer ends with a new worker

export class Engine {
  #module = null;
  #worker = null;
  #running = null;
  #waiting = new Map();
  #count = 0;

  // `url` is that of the worker, `module` the promise of the compiled program. Loading the program has no time limit.
  constructor(url, module) {
    this.url = url;
    this.#start(); // loads while the program loads
    this.ready = module.then((compiled) => {
      this.#module = compiled;
      this.#worker?.postMessage({module: compiled});
    });
  }

  // Runs the program: `args` are its arguments, `files` maps names to text or bytes. Resolves to {status, stdout,
  // stderr, milliseconds}, or to null if a newer request of this kind replaced this one.
  async run(kind, args, files) {
    await this.ready;
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
    if (this.#module) this.#worker.postMessage({module: this.#module});
  }

  #next() {
    if (this.#running || this.#waiting.size === 0) return;
    const [kind, request] = this.#waiting.entries().next().value;
    this.#waiting.delete(kind);
    if (!this.#worker) this.#start();
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
    this.#worker = null;
    this.#settle(this.#running?.id, {failure: reason});
  }
}
