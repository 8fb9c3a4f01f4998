/** Documents that are made from declarations; a test keeps the committed ones current. */

import { SETTINGS } from '#app/config';
import { OPERATIONS } from '#frontend/api';
import { directions } from './directions.js';
import { openapi } from './openapi.js';
import { stateMachines } from './state-machines.js';

function configuration(): string {
  const rows = Object.values(SETTINGS).map((of) => {
    const fallback = of.fallback === undefined || of.fallback === '' ? '' : `\`${of.fallback}\``;
    return `| \`--${of.option} ${of.value}\` | \`${of.env}\` | ${fallback} | ${of.description} |`;
  });
  return [
    '# Configuration',
    '',
    'Made by `npm run docs` from `src/app/config/table.ts`. The command line wins over the environment;',
    '`conclave check-config` shows the values in force.',
    '',
    '| option | environment | default | meaning |',
    '|---|---|---|---|',
    ...rows,
    '',
  ].join('\n');
}

/** File under docs/ → its text. */
export const documents = (): ReadonlyMap<string, string> =>
  new Map([
    ['architecture/directions.md', directions()],
    ['configuration.md', configuration()],
    ['state-machines.md', stateMachines()],
    ['openapi.json', `${JSON.stringify(openapi(OPERATIONS), null, 1)}\n`],
  ]);
