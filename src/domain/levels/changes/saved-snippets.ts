import type { ApiChange } from '../change.js';

export const SAVED_SNIPPETS: ApiChange = {
  since: 297,
  summary: 'Texts that a user keeps for later: operations, state and events `saved_snippets`.',
  newSections: ['saved_snippets'],
};

export const EDITS_OF_SAVED_SNIPPETS: ApiChange = {
  since: 368,
  summary: 'Saved snippets can be edited.',
};
