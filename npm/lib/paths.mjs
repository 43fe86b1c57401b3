// Paths of the system as the program sees them. A WASI program has no drives and no backslashes, and sees only the folders
// that are opened for it: `/` on Linux and macOS, and a folder for each drive on Windows, such as `/c` for `C:\`.

import {existsSync} from 'node:fs';
import {win32} from 'node:path';

const DRIVE = /^([A-Za-z]):(?=[\\/]|$)/;

// Returns the arguments, the working folder and the opened folders of the program. `exists` is a parameter for tests.
export function programView({args, folder, windows, exists = existsSync}) {
  if (!windows) return {args, folder, preopens: {'/': '/'}};
  const drives = new Set();
  const note = (path) => programPath(path, drives);
  const seen = note(folder);
  const words = args.map((word) => programWord(word, folder, note, exists));
  const preopens = Object.fromEntries([...drives].sort().map((drive) => [`/${drive}`, `${drive.toUpperCase()}:\\`]));
  return {args: words, folder: seen, preopens};
}

// Returns `/c/project/recipe.yaml` for `C:\project\recipe.yaml`, and `a/b` for `a\b`. Adds the drive to `drives`.
export function programPath(path, drives = new Set()) {
  const drive = DRIVE.exec(path)?.[1].toLowerCase();
  if (drive === undefined) return path.replaceAll('\\', '/');
  drives.add(drive);
  return `/${drive}/${path.slice(2).replaceAll('\\', '/').replace(/^\/+/, '')}`;
}

// Converts the path in a word: the word itself, or the value in `--option=value`.
function programWord(word, folder, note, exists) {
  const [, option, value] = /^(--[a-z0-9-]+=)?(.*)$/s.exec(word);
  return (option ?? '') + (isPath(value, folder, exists) ? note(value) : value);
}

// A backslash can also belong to a regular expression. A word is a path if it starts with a drive, or if the file or the
// folder of a new file exists.
function isPath(word, folder, exists) {
  if (DRIVE.test(word)) return true;
  if (!word.includes('\\')) return false;
  const path = win32.resolve(folder, word);
  return exists(path) || exists(win32.dirname(path));
}
