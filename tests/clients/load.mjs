// Imports a package from the folder where the commands have installed it (COMPANION_NODE_MODULES),
// because the scripts here do not lie beside their packages.
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { pathToFileURL } from 'node:url';

const CONDITIONS = ['import', 'node', 'default'];

function entry(exports) {
  if (typeof exports === 'string') return exports;
  for (const condition of CONDITIONS) {
    const found = exports?.[condition] && entry(exports[condition]);
    if (found) return found;
  }
  return undefined;
}

/** The module of an installed package; `subpath` is a key of its `exports`, "." by default. */
export async function load(name, subpath = '.') {
  const modules = process.env.COMPANION_NODE_MODULES;
  if (!modules) throw new Error('COMPANION_NODE_MODULES is not set; see tests/tools/nodes.py');
  const folder = path.join(modules, ...name.split('/'));
  const description = JSON.parse(await readFile(path.join(folder, 'package.json'), 'utf-8'));
  const exported = description.exports;
  let file = entry(exported?.[subpath] ?? (subpath === '.' ? exported : undefined));
  if (!file && subpath === '.') file = description.module ?? description.main ?? 'index.js';
  if (!file && exported?.['./*']) file = entry(exported['./*']).replace('*', subpath.slice(2));
  if (!file) throw new Error(`${name} exports no ${subpath}`);
  return import(pathToFileURL(path.join(folder, file)).href);
}
