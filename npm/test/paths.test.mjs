import assert from 'node:assert/strict';
import test from 'node:test';
import {programPath, programView} from '../lib/paths.mjs';

const existing = new Set(['C:\\work\\recipes', 'C:\\work\\recipes\\a.yaml', 'C:\\work']);
const onWindows = (args, folder = 'C:\\work') => programView({args, folder, windows: true, exists: (path) => existing.has(path)});

test('a path on Linux or macOS is not changed', () => {
  const view = programView({args: ['validate', 'a\\b.yaml', 'C:\\x'], folder: '/home/me', windows: false});
  assert.deepEqual(view, {args: ['validate', 'a\\b.yaml', 'C:\\x'], folder: '/home/me', preopens: {'/': '/'}});
});

test('the drive of the working folder is opened', () => {
  assert.deepEqual(onWindows(['validate']), {args: ['validate'], folder: '/c/work', preopens: {'/c': 'C:\\'}});
});

test('each drive of an argument is opened', () => {
  const view = onWindows(['validate', 'D:\\data\\a.yaml', '--params=e:/names.txt']);
  assert.deepEqual(view.args, ['validate', '/d/data/a.yaml', '--params=/e/names.txt']);
  assert.deepEqual(view.preopens, {'/c': 'C:\\', '/d': 'D:\\', '/e': 'E:\\'});
});

test('a relative path is converted if the file exists', () => {
  assert.deepEqual(onWindows(['validate', 'recipes\\a.yaml']).args, ['validate', 'recipes/a.yaml']);
});

test('a relative path is converted if the folder of a new file exists', () => {
  assert.deepEqual(onWindows(['convert', '-o', 'recipes\\new.yaml']).args, ['convert', '-o', 'recipes/new.yaml']);
});

test('a backslash of a regular expression is kept', () => {
  assert.deepEqual(onWindows(['match', '--set', 'layers=re:.*\\d+\\.weight']).args, ['match', '--set', 'layers=re:.*\\d+\\.weight']);
});

test('a word with a colon that is no drive is kept', () => {
  assert.deepEqual(onWindows(['validate', 're:conv', '--set=a:b']).args, ['validate', 're:conv', '--set=a:b']);
});

test('drives alone and mixed slashes', () => {
  assert.equal(programPath('C:'), '/c/');
  assert.equal(programPath('c:\\'), '/c/');
  assert.equal(programPath('C:\\a/b\\c'), '/c/a/b/c');
});
