// From the state of the page to the arguments and the files of the program.

// Splits options as a shell does: blanks separate, quotes and backslashes keep them.
export function split(line) {
  const words = [];
  const pattern = /(?:[^\s"'\\]|\\.|"(?:[^"\\]|\\.)*"?|'[^']*'?)+/g;
  for (const [word] of line.matchAll(pattern)) {
    words.push(word.replace(/\\(.)|"((?:[^"\\]|\\.)*)"?|'([^']*)'?/g, (_, letter, double, single) =>
      letter ?? single ?? double.replace(/\\(.)/g, '$1')));
  }
  return words;
}

// Returns a file name without folders. The program detects some formats by the end of the name.
export function clean(name) {
  return name.replace(/^.*[\\/]/, '').replace(/[^\w.-]/g, '_').replace(/^[-.]+/, '') || 'recipe.yaml';
}

const MODEL = {params: '--params', modules: '--model'};

// Returns {args, files, shown}. `state.files` has bytes of dropped files, which take precedence over pasted names.
export function request(command, state, own = []) {
  const name = clean(state.name);
  const files = {[name]: state.text};
  const common = [];
  if (state.steps) common.push('--steps-per-epoch', state.steps);
  for (const [key, option] of Object.entries(MODEL)) {
    const dropped = state.files?.[key];
    if (!dropped && !state[key].trim()) continue;
    const file = dropped ? `${key}-${clean(dropped.name)}` : `${key}.txt`;
    files[file] = dropped ? dropped.bytes : state[key];
    common.push(option, file);
  }
  common.push(...split(state.options));
  const report = own.indexOf('--report'); // the page reads the report as JSON, a person does not
  const visible = own.filter((_, at) => report < 0 || at < report || at > report + 1);
  const shown = ['sparsecfg', command, name, ...visible, ...common];
  return {args: [command, name, ...own, ...common], files, shown: shown.map(quoted).join(' ')};
}

const quoted = (word) => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`);
