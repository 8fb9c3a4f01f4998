/** German, complete. A file for each area, as in English. */
import type { InitialTexts, TextCatalog } from '../catalogue.js';
import { commonTexts } from './common.js';
import { overviewTexts } from './overviews.js';
import { shellTexts } from './shell.js';
import { sidebarTexts } from './sidebar.js';

export const germanTexts: TextCatalog<InitialTexts> = {
  ...commonTexts,
  ...overviewTexts,
  ...shellTexts,
  ...sidebarTexts,
};
