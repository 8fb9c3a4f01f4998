/** English: the source of all keys. A file for each area; those of lazy views are in `later.ts`. */
import { commonTexts } from './common.js';
import { overviewTexts } from './overviews.js';
import { shellTexts } from './shell.js';
import { sidebarTexts } from './sidebar.js';

export const englishTexts = {
  ...commonTexts,
  ...overviewTexts,
  ...shellTexts,
  ...sidebarTexts,
} as const;
