/** Texts of the compose box. */
export const compose = {
  'compose.send': 'Send',
} as const;
