/** Texts of the settings; a chunk of their own. */
export const settings = {
  'settings.title': 'Settings',
} as const;
