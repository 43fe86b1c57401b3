// Parts of the page that need no browser.

import assert from 'node:assert/strict';
import {mock, test} from 'node:test';
import {Engine} from '../src/engine.js';
import {decode, encode} from '../src/link.js';
import {units} from '../src/positions.js';
import {clean, request, split} from '../src/request.js';

const STATE = {name: 'recipe.yaml', text: 'a: 1\n', steps: '', params: '', modules: '', options: ''};

test('offsets of bytes become offsets of the editor', () => {
  const text = 'aé😀b\n';
  const at = units(text);
  assert.deepEqual([0, 1, 3, 7, 8, 9, 99].map(at), [0, 1, 2, 4, 5, 6, 6]);
  assert.deepEqual([2, 4, 6].map(at), [1, 2, 2]); // inside a letter: its start
  assert.deepEqual([0, 3, 9].map(units('abc')), [0, 3, 3]);
});

test('options are split as by a shell', () => {
  assert.deepEqual(split(`--set lr=0.1  --pruner 'A(b, c=1)' "x \\" y" a\\ b '' c`), ['--set', 'lr=0.1', '--pruner', 'A(b, c=1)', 'x " y', 'a b', '', 'c']);
  assert.deepEqual(split('  '), []);
  assert.deepEqual(split(`--stage 'open`), ['--stage', 'open']);
});

test('file names have no folders and no options', () => {
  assert.equal(clean('../../etc/passwd'), 'passwd');
  assert.equal(clean('C:\\recipes\\a b.yaml'), 'a_b.yaml');
  assert.equal(clean('--output'), 'output');
  assert.equal(clean('.git'), 'git');
  assert.equal(clean(''), 'recipe.yaml');
});

test('a request has the options that are set', () => {
  assert.deepEqual(request('validate', STATE, ['--format', 'json']), {
    args: ['validate', 'recipe.yaml', '--format', 'json'], files: {'recipe.yaml': 'a: 1\n'},
    shown: 'sparsecfg validate recipe.yaml --format json',
  });
  const all = {...STATE, steps: '10', params: 'conv.weight\n', modules: ' ', options: `--set 'a=b c'`, files: {modules: {name: 'm.json', bytes: new Uint8Array(2)}}};
  const {args, files, shown} = request('convert', all, ['--to', 'nni', '--report', 'json']);
  assert.deepEqual(args, ['convert', 'recipe.yaml', '--to', 'nni', '--report', 'json', '--steps-per-epoch', '10', '--params', 'params.txt',
    '--model', 'modules-m.json', '--set', 'a=b c']);
  assert.deepEqual(Object.keys(files), ['recipe.yaml', 'params.txt', 'modules-m.json']);
  assert.equal(shown, "sparsecfg convert recipe.yaml --to nni --steps-per-epoch 10 --params params.txt --model modules-m.json --set 'a=b c'");
});

test('links keep texts only', async () => {
  const fragment = await encode({...STATE, text: 'größer 😀\n'.repeat(500)});
  assert.ok(fragment.length < 300);
  assert.equal((await decode(fragment)).text, 'größer 😀\n'.repeat(500));
  assert.deepEqual(await decode(await encode({text: 'a', steps: 5, files: {}, other: 'x', name: 'b'})), {text: 'a', name: 'b'});
  assert.equal(await decode('#findings'), null);
  await assert.rejects(decode(await encode({steps: '5'})), /holds no recipe/);
  await assert.rejects(decode('#r=AAAA'));
  await assert.rejects(decode(await encode({text: ' '.repeat(5 << 20)})), /4 MiB/);
});

// A worker that answers when the test says so.
class FakeWorker {
  static made = [];
  sent = [];
  constructor() {
    FakeWorker.made.push(this);
  }
  postMessage(data) {
    this.sent.push(data);
  }
  terminate() {
    this.ended = true;
  }
  answer() {
    this.onmessage({data: {id: this.sent.at(-1).id, status: 0, stdout: this.sent.at(-1).args[0]}});
  }
}

async function engine() {
  FakeWorker.made = [];
  globalThis.Worker = FakeWorker;
  const made = new Engine('worker.js', Promise.resolve('module'));
  await made.ready;
  return made;
}

const turn = () => new Promise((resolve) => setImmediate(resolve));

test('a newer request replaces one of its kind that waits', async () => {
  const made = await engine();
  const [worker] = FakeWorker.made;
  assert.deepEqual(worker.sent, [{module: 'module'}]);
  const answers = ['a', 'b', 'c'].map((word) => made.run('validate', [word], {}));
  const other = made.run('tab', ['t'], {});
  await turn();
  assert.equal(worker.sent.length, 2);
  for (const word of ['a', 'c', 't']) {
    assert.equal(worker.sent.at(-1).args[0], word);
    worker.answer();
    await turn();
  }
  assert.deepEqual((await Promise.all([...answers, other])).map((answer) => answer?.stdout), ['a', undefined, 'c', 't']);
});

test('a request without an answer ends with a new worker', async () => {
  mock.timers.enable({apis: ['setTimeout']});
  try {
    const made = await engine();
    const hung = made.run('validate', ['hang'], {});
    const next = made.run('tab', ['t'], {});
    const rejected = assert.rejects(hung, /no answer after 20 seconds/);
    await turn();
    mock.timers.tick(20_000);
    await rejected;
    await turn();
    assert.equal(FakeWorker.made.length, 2);
    assert.ok(FakeWorker.made[0].ended);
    FakeWorker.made[1].answer();
    assert.equal((await next).stdout, 't');
    assert.deepEqual(FakeWorker.made[1].sent[0], {module: 'module'});
  } finally {
    mock.timers.reset();
  }
});
