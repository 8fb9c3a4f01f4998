/** Texts of search and quick switcher. */
export const search = {
  'search.label': 'Search messages',
} as const;
