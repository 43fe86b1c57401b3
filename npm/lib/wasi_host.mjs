// The part of WASI preview 1 that sparsecfg uses, with files in memory. Works in browsers, workers and node.

import {namesOf} from './memory_files.mjs';

const SUCCESS = 0;
const EBADF = 8;
const EEXIST = 20;
const EINVAL = 28;
const EISDIR = 31;
const ENOENT = 44;
const ENOTDIR = 54;
const ENOTEMPTY = 55;
const ENOTSUP = 58;

const CHARACTER_DEVICE = 2;
const DIRECTORY = 3;
const REGULAR_FILE = 4;

const O_CREAT = 1;
const O_DIRECTORY = 2;
const O_EXCL = 4;
const O_TRUNC = 8;
const FD_APPEND = 1;

const ROOT_DESCRIPTOR = 3;

const encoder = new TextEncoder();
const decoder = new TextDecoder();

class Exit extends Error {
  constructor(status) {
    super(`exit ${status}`);
    this.status = status;
  }
}

export class WasiHost {
  // `files` is a MemoryFiles. `stdin` is a string or bytes.
  constructor({args, env = {}, stdin = '', files}) {
    this.args = args.map(terminated);
    this.env = Object.entries(env).map(([name, value]) => terminated(`${name}=${value}`));
    this.files = files;
    this.numbers = new Map();
    this.output = [[], [], []];
    this.open = new Map([
      [0, {node: {bytes: typeof stdin === 'string' ? encoder.encode(stdin) : stdin}, at: 0, stream: 0}],
      [1, {stream: 1}],
      [2, {stream: 2}],
      [ROOT_DESCRIPTOR, {node: files.root, preopen: '/', names: []}],
    ]);
  }

  // Runs the program of an instantiated module. Returns its exit status and both outputs.
  run(module) {
    const calls = {};
    for (const name of Object.getOwnPropertyNames(WasiHost.prototype)) {
      if (/^(args|clock|environ|fd|path|poll|proc|random|sched)_/.test(name)) calls[name] = this[name].bind(this);
    }
    for (const {module: from, name} of WebAssembly.Module.imports(module)) {
      if (from === 'wasi_snapshot_preview1') calls[name] ??= () => ENOTSUP;
    }
    const instance = new WebAssembly.Instance(module, {wasi_snapshot_preview1: calls});
    this.memory = instance.exports.memory;
    let status = 0;
    try {
      instance.exports._start();
    } catch (error) {
      if (!(error instanceof Exit)) throw error;
      status = error.status;
    }
    return {status, stdout: joined(this.output[1]), stderr: joined(this.output[2]), memory: this.memory.buffer.byteLength};
  }

  // The buffer changes when the memory grows.
  get view() {
    return new DataView(this.memory.buffer);
  }

  get bytes() {
    return new Uint8Array(this.memory.buffer);
  }

  textAt(pointer, size) {
    return decoder.decode(this.bytes.slice(pointer, pointer + size));
  }

  // --- arguments, environment, clock, process ---

  putStrings(strings, pointers, buffer) {
    for (const string of strings) {
      this.view.setUint32(pointers, buffer, true);
      this.bytes.set(string, buffer);
      pointers += 4;
      buffer += string.length;
    }
    return SUCCESS;
  }

  putSizes(strings, count, size) {
    this.view.setUint32(count, strings.length, true);
    this.view.setUint32(size, strings.reduce((sum, string) => sum + string.length, 0), true);
    return SUCCESS;
  }

  args_get(pointers, buffer) {
    return this.putStrings(this.args, pointers, buffer);
  }

  args_sizes_get(count, size) {
    return this.putSizes(this.args, count, size);
  }

  environ_get(pointers, buffer) {
    return this.putStrings(this.env, pointers, buffer);
  }

  environ_sizes_get(count, size) {
    return this.putSizes(this.env, count, size);
  }

  clock_time_get(clock, precision, out) {
    const milliseconds = clock === 0 ? Date.now() : performance.now();
    this.view.setBigUint64(out, BigInt(Math.round(milliseconds * 1e6)), true);
    return SUCCESS;
  }

  random_get(pointer, size) {
    const random = new Uint8Array(size);
    globalThis.crypto.getRandomValues(random);
    this.bytes.set(random, pointer);
    return SUCCESS;
  }

  sched_yield() {
    return SUCCESS;
  }

  proc_exit(status) {
    throw new Exit(status);
  }

  // --- open files ---

  fd_close(fd) {
    return this.open.delete(fd) ? SUCCESS : EBADF;
  }

  fd_read(fd, vectors, count, out) {
    const file = this.open.get(fd);
    if (!file?.node) return EBADF;
    if (file.node.entries) return EISDIR;
    let total = 0;
    for (const [pointer, size] of this.vectorsAt(vectors, count)) {
      const piece = file.node.bytes.subarray(file.at, file.at + size);
      this.bytes.set(piece, pointer);
      file.at += piece.length;
      total += piece.length;
    }
    this.view.setUint32(out, total, true);
    return SUCCESS;
  }

  fd_write(fd, vectors, count, out) {
    const file = this.open.get(fd);
    if (!file) return EBADF;
    let total = 0;
    for (const [pointer, size] of this.vectorsAt(vectors, count)) {
      const piece = this.bytes.slice(pointer, pointer + size);
      if (file.stream) this.output[file.stream].push(piece);
      else append(file, piece);
      total += size;
    }
    this.view.setUint32(out, total, true);
    return SUCCESS;
  }

  vectorsAt(vectors, count) {
    const view = this.view;
    return Array.from({length: count}, (_, at) => [view.getUint32(vectors + 8 * at, true), view.getUint32(vectors + 8 * at + 4, true)]);
  }

  fd_seek(fd, offset, whence, out) {
    const file = this.open.get(fd);
    if (!file?.node?.bytes || file.stream === 0) return file ? EINVAL : EBADF;
    const base = [0, file.at, file.node.bytes.length][whence];
    file.at = base + Number(offset);
    this.view.setBigUint64(out, BigInt(file.at), true);
    return SUCCESS;
  }

  fd_sync(fd) {
    return this.open.has(fd) ? SUCCESS : EBADF;
  }

  fd_fdstat_get(fd, out) {
    const file = this.open.get(fd);
    if (!file) return EBADF;
    const rights = 0x1fffffffn;
    this.view.setUint8(out, file.node ? typeOf(file.node) : REGULAR_FILE);  // no stream is a terminal
    this.view.setUint16(out + 2, file.append ? FD_APPEND : 0, true);
    this.view.setBigUint64(out + 8, rights, true);
    this.view.setBigUint64(out + 16, rights, true);
    return SUCCESS;
  }

  fd_fdstat_set_flags() {
    return SUCCESS;
  }

  fd_filestat_get(fd, out) {
    const file = this.open.get(fd);
    if (!file) return EBADF;
    return this.putStatus(file.node ?? {bytes: new Uint8Array()}, out, file.stream !== undefined);
  }

  fd_prestat_get(fd, out) {
    const file = this.open.get(fd);
    if (!file?.preopen) return EBADF;
    this.view.setUint8(out, 0);
    this.view.setUint32(out + 4, file.preopen.length, true);
    return SUCCESS;
  }

  fd_prestat_dir_name(fd, pointer, size) {
    this.bytes.set(encoder.encode(this.open.get(fd).preopen).subarray(0, size), pointer);
    return SUCCESS;
  }

  fd_readdir(fd, buffer, size, cookie, used) {
    const folder = this.open.get(fd)?.node;
    if (!folder?.entries) return folder ? ENOTDIR : EBADF;
    const entries = [...folder.entries].slice(Number(cookie));
    let at = 0;
    for (const [index, [name, node]] of entries.entries()) {
      const record = this.entryRecord(name, node, BigInt(index + 1) + cookie);
      this.bytes.set(record.subarray(0, size - at), buffer + at);
      at += Math.min(record.length, size - at);
      if (at === size) break;
    }
    this.view.setUint32(used, at, true);
    return SUCCESS;
  }

  entryRecord(name, node, next) {
    const text = encoder.encode(name);
    const record = new Uint8Array(24 + text.length);
    const view = new DataView(record.buffer);
    view.setBigUint64(0, next, true);
    view.setBigUint64(8, this.numberOf(node), true);
    view.setUint32(16, text.length, true);
    view.setUint8(20, typeOf(node));
    record.set(text, 24);
    return record;
  }

  // --- paths ---

  // Returns the folder and the name that a path relative to a descriptor refers to.
  locate(fd, pointer, size) {
    const names = namesOf([...(this.open.get(fd)?.names ?? []), this.textAt(pointer, size)].join('/'));
    const name = names.at(-1);
    const folder = name === undefined ? this.files.root : this.files.find(names.slice(0, -1));
    return {names, name, folder, node: name === undefined ? this.files.root : folder?.entries?.get(name)};
  }

  path_open(fd, lookup, pointer, size, flags, rights, inheriting, fdflags, out) {
    const place = this.locate(fd, pointer, size);
    if (place.node && flags & O_CREAT && flags & O_EXCL) return EEXIST;
    if (!place.node && (!(flags & O_CREAT) || !place.folder?.entries)) return place.folder && !place.folder.entries ? ENOTDIR : ENOENT;
    if (place.node && flags & O_DIRECTORY && !place.node.entries) return ENOTDIR;
    if (!place.node) place.folder.entries.set(place.name, (place.node = {bytes: new Uint8Array()}));
    if (flags & O_TRUNC && place.node.bytes) place.node.bytes = new Uint8Array();
    let number = ROOT_DESCRIPTOR + 1;
    while (this.open.has(number)) ++number;
    this.open.set(number, {node: place.node, at: 0, append: (fdflags & FD_APPEND) !== 0, names: place.names});
    this.view.setUint32(out, number, true);
    return SUCCESS;
  }

  path_filestat_get(fd, lookup, pointer, size, out) {
    const {node, folder} = this.locate(fd, pointer, size);
    if (!node) return folder && !folder.entries ? ENOTDIR : ENOENT;
    return this.putStatus(node, out, false);
  }

  path_readlink(fd, pointer, size) {
    return this.locate(fd, pointer, size).node ? EINVAL : ENOENT;
  }

  path_create_directory(fd, pointer, size) {
    const place = this.locate(fd, pointer, size);
    if (place.node) return EEXIST;
    if (!place.folder?.entries) return ENOENT;
    place.folder.entries.set(place.name, {entries: new Map()});
    return SUCCESS;
  }

  path_unlink_file(fd, pointer, size) {
    const place = this.locate(fd, pointer, size);
    if (!place.node) return ENOENT;
    if (place.node.entries) return EISDIR;
    place.folder.entries.delete(place.name);
    return SUCCESS;
  }

  path_remove_directory(fd, pointer, size) {
    const place = this.locate(fd, pointer, size);
    if (!place.node) return ENOENT;
    if (!place.node.entries) return ENOTDIR;
    if (place.node.entries.size > 0) return ENOTEMPTY;
    place.folder.entries.delete(place.name);
    return SUCCESS;
  }

  path_rename(fd, pointer, size, newFd, newPointer, newSize) {
    const from = this.locate(fd, pointer, size);
    const to = this.locate(newFd, newPointer, newSize);
    if (!from.node || !to.folder?.entries) return ENOENT;
    from.folder.entries.delete(from.name);
    to.folder.entries.set(to.name, from.node);
    return SUCCESS;
  }

  // A file has the number under which it was seen first. All files are equally old.
  numberOf(node) {
    if (!this.numbers.has(node)) this.numbers.set(node, BigInt(this.numbers.size + 1));
    return this.numbers.get(node);
  }

  putStatus(node, out, isStream) {
    const view = this.view;
    for (let at = 0; at < 64; at += 8) view.setBigUint64(out + at, 0n, true);
    view.setBigUint64(out + 8, this.numberOf(node), true);
    view.setUint8(out + 16, isStream ? CHARACTER_DEVICE : typeOf(node));
    view.setBigUint64(out + 24, 1n, true);
    view.setBigUint64(out + 32, BigInt(node.bytes?.length ?? 0), true);
    return SUCCESS;
  }
}

function typeOf(node) {
  return node.entries ? DIRECTORY : REGULAR_FILE;
}

function terminated(text) {
  return encoder.encode(`${text}\0`);
}

function append(file, piece) {
  if (file.append) file.at = file.node.bytes.length;
  const bytes = new Uint8Array(Math.max(file.node.bytes.length, file.at + piece.length));
  bytes.set(file.node.bytes);
  bytes.set(piece, file.at);
  file.node.bytes = bytes;
  file.at += piece.length;
}

function joined(pieces) {
  const bytes = new Uint8Array(pieces.reduce((sum, piece) => sum + piece.length, 0));
  let at = 0;
  for (const piece of pieces) {
    bytes.set(piece, at);
    at += piece.length;
  }
  return decoder.decode(bytes);
}
