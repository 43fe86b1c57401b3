// Bundles the playground: node build.mjs <folder>

import {copyFile, mkdir, readdir, readFile, rm, writeFile} from 'node:fs/promises';
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
  bundle: true, minify: true, target: ['es2022'], legalComments: 'none', metafile: true, outdir: out, logLevel: 'warning',
  loader: {'.yaml': 'text', '.json': 'text', '.txt': 'text', '.py': 'text'},
};
// The licenses of the bundled packages require that their text comes with copies.
async function licenses({inputs}) {
  const folders = new Set(Object.keys(inputs).map((path) => path.match(/^.*node_modules\/(?:@[^/]+\/)?[^/]+/)?.[0]).filter(Boolean));
  const parts = [];
  for (const folder of [...folders].sort()) {
    const file = (await readdir(folder)).find((name) => /^licen[cs]e/i.test(name));
    if (!file) throw new Error(`${folder} has no license`);
    parts.push(`${folder.replace(/^.*node_modules\//, '')}\n\n${await readFile(join(folder, file), 'utf8')}`);
  }
  return parts.join(`\n${'-'.repeat(80)}\n\n`);
}

await rm(out, {recursive: true, force: true});
await mkdir(out, {recursive: true});
const {metafile} = await build({...shared, entryPoints: ['main', 'page', 'worker'].map((name) => join(here, `src/${name}.js`)), external: ['./page.js'], format: 'esm'});
// A sandboxed frame can load only classic scripts.
await build({...shared, entryPoints: [join(here, 'src/frame.js')], format: 'iife', plugins: [page_script]});
await build({...shared, entryPoints: [join(here, 'style.css')]});
for (const name of ['index.html', 'frame.html']) await copyFile(join(here, name), join(out, name));
await writeFile(join(out, 'licenses.txt'), await licenses(metafile));
