// Bundles the playground: node build.mjs <folder>

import {copyFile, mkdir, readFile, rm} from 'node:fs/promises';
import {dirname, join} from 'node:path';
import {fileURLToPath} from 'node:url';
import {build} from 'esbuild';

const here = dirname(fileURLToPath(import.meta.url));
const out = process.argv[2];
if (!out) {
  console.error('usage: node build.mjs FOLDER');
  process.exit(2);
}

// The script of `timeline --format html` starts when it is loaded. Here it is a function that is called for each page.
const page_script = {
  name: 'page-script',
  setup({onLoad}) {
    onLoad({filter: /lib\/picture\/page\.js$/}, async ({path}) => ({
      contents: `export default function () {\n${await readFile(path, 'utf8')}}`,
    }));
  },
};

const shared = {
  bundle: true, minify: true, target: ['es2022'], legalComments: 'linked', outdir: out, logLevel: 'warning',
  loader: {'.yaml': 'text', '.json': 'text', '.txt': 'text', '.py': 'text'},
};
await rm(out, {recursive: true, force: true});
await mkdir(out, {recursive: true});
await build({...shared, entryPoints: [join(here, 'src/main.js'), join(here, 'src/worker.js')], format: 'esm'});
// A sandboxed frame can load only classic scripts.
await build({...shared, entryPoints: [join(here, 'src/frame.js')], format: 'iife', plugins: [page_script]});
await build({...shared, entryPoints: [join(here, 'style.css')]});
for (const name of ['index.html', 'frame.html']) await copyFile(join(here, name), join(out, name));
