/** English: the source of all keys. A file for each area; those of lazy views are in `later.ts`. */
import { common } from './common.js';
import { notify } from './notify.js';
import { overviews } from './overviews.js';
import { shell } from './shell.js';
import { sidebar } from './sidebar.js';

export const en = {
  ...common,
  ...notify,
  ...overviews,
  ...shell,
  ...sidebar,
} as const;
