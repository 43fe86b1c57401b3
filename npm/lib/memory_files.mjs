// A file system in memory for WasiHost. A folder is {entries: Map of nodes}, a file is {bytes: Uint8Array}.

const encoder = new TextEncoder();
const decoder = new TextDecoder();

export class MemoryFiles {
  constructor(files = {}) {
    this.root = {entries: new Map()};
    for (const [path, content] of Object.entries(files)) this.write(path, content);
  }

  // Creates a file and its folders, or replaces the file. `content` is a string or bytes.
  write(path, content) {
    const names = namesOf(path);
    const name = names.pop();
    if (name === undefined) throw new Error(`\`${path}\` is not a path of a file`);
    let folder = this.root;
    for (const part of names) {
      if (!folder.entries.has(part)) folder.entries.set(part, {entries: new Map()});
      folder = folder.entries.get(part);
      if (!folder.entries) throw new Error(`\`${path}\` cannot be created: \`${part}\` is a file`);
    }
    if (folder.entries.get(name)?.entries) throw new Error(`\`${path}\` cannot be created: it is a folder`);
    folder.entries.set(name, {bytes: typeof content === 'string' ? encoder.encode(content) : content});
  }

  // Returns the text of a file; undefined if it does not exist.
  read(path) {
    const node = this.find(namesOf(path));
    return node?.bytes && decoder.decode(node.bytes);
  }

  // Returns all files as an object from path to text.
  all() {
    const out = [];
    const visit = (folder, prefix) => {
      for (const [name, node] of folder.entries) {
        if (node.entries) visit(node, `${prefix}${name}/`);
        else out.push([prefix + name, decoder.decode(node.bytes)]);
      }
    };
    visit(this.root, '/');
    return Object.fromEntries(out); // an assignment would lose a file with the name `__proto__`
  }

  find(names) {
    return names.reduce((node, name) => node?.entries?.get(name), this.root);
  }
}

// Splits a path into names. `.` is dropped, and `..` removes the name before it.
export function namesOf(path) {
  const out = [];
  for (const part of path.split('/')) {
    if (part === '..') out.pop();
    else if (part !== '' && part !== '.') out.push(part);
  }
  return out;
}
