// Makes skeleton-screens.wasm of plugin.js: what `npm run build` runs, and `handset plugin build` before it fills in the sha256.
import { writeFile } from 'node:fs/promises';

import { componentize } from '@bytecodealliance/componentize-js';

const { component } = await componentize({
  sourcePath: 'plugin.js',
  witPath: 'wit',
  worldName: 'readiness-classifier',
  // A plugin has no clock, randomness, network or stdout; without them it imports nothing but Handset's own.
  disableFeatures: ['stdio', 'random', 'clocks', 'http', 'fetch-event'],
});
await writeFile('skeleton-screens.wasm', component);
