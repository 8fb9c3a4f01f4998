/** Texts of the menus of the organization and of the reader; part of the lazy texts. */
export const shellMenuTexts = {
  'shell.organization-settings': 'Organization settings',
  'shell.invite': 'Invite people',
  'shell.own-profile': 'Your profile',
  'shell.own-status': 'Set a status',
  'shell.help': 'Keyboard shortcuts',
  'shell.sign-out': 'Sign out',
  'shell.theme-auto': 'Light or dark like the system',
  'shell.theme-light': 'Light',
  'shell.theme-dark': 'Dark',
  'shell.theme-contrast': 'High contrast',
} as const;
