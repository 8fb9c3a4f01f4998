/** Options of the command line besides the settings. `--help` reads them without loading the commands. */

export const ADMIN_ONLY_COMMAND_LINE_OPTIONS = Object.fromEntries(
  ['subdomain', 'name', 'type', 'email', 'full-name', 'password', 'user-role', 'realm', 'zuliprc', 'site'].map(
    (name) => [name, { type: 'string' as const }],
  ),
);

export const IMPORT_COMMAND_OPTIONS = {
  passwords: { type: 'string' },
  'no-invitations': { type: 'boolean' },
  'former-site': { type: 'string' },
  check: { type: 'boolean' },
  drop: { type: 'boolean' },
} as const;

/** Options that `conclave import` and `conclave export` have in common. */
export const IMPORT_EXPORT_COMMAND_OPTIONS = {
  'usual-priority': { type: 'boolean' },
} as const;
