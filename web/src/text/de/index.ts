/** German, complete. A file for each area, as in English. */
import type { Catalogue, Texts } from '../catalogue.js';
import { common } from './common.js';
import { notify } from './notify.js';
import { overviews } from './overviews.js';
import { shell } from './shell.js';
import { sidebar } from './sidebar.js';

export const de: Catalogue<Texts> = {
  ...common,
  ...notify,
  ...overviews,
  ...shell,
  ...sidebar,
};
