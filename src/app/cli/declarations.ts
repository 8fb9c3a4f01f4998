/**
 * Every command, and every option besides the settings, declared once: the parser of the command line, its checks and
 * `--help` come from these tables. They load without the commands.
 */

/** An option with a value has a placeholder of it; a flag has none. */
interface CliOptionDeclaration {
  readonly value?: string;
  /** Effect of the option, where its name alone does not tell it. */
  readonly description?: string;
}

export const CLI_OPTION_DECLARATIONS = {
  subdomain: { value: 'NAME' },
  name: { value: 'TEXT' },
  type: { value: 'business|school|…' },
  email: { value: 'ADDRESS' },
  'full-name': { value: 'TEXT' },
  password: { value: 'TEXT' },
  'user-role': { value: 'owner|administrator|moderator|member|guest' },
  realm: { value: 'SUBDOMAIN' },
  zuliprc: { value: 'FILE' },
  site: { value: 'URL' },
  passwords: { value: 'FILE' },
  'former-site': { value: 'URL' },
  'no-invitations': {},
  check: { description: 'only say what would come' },
  drop: { description: 'give up an import that has not ended' },
  'usual-priority': { description: 'compete with other processes for the processor' },
  json: {},
  yes: { description: 'delete without asking' },
} as const satisfies Readonly<Record<string, CliOptionDeclaration>>;

export type CliOptionName = keyof typeof CLI_OPTION_DECLARATIONS;

export interface CliCommandDeclaration {
  readonly description: string;
  /** Placeholders of the words after the command's name, in order; one in brackets may be left out. */
  readonly words?: readonly string[];
  /** Options that must be given. */
  readonly required?: readonly CliOptionName[];
  /** Options that may be given. All commands take the settings, too. */
  readonly optional?: readonly CliOptionName[];
}

/** Commands by their name of one or two words, in the order of the help text. */
export const CLI_COMMAND_DECLARATIONS = {
  serve: { description: 'Run the server. Without options: everything in one process, data in ./data.' },
  'realm create': {
    description: 'Create an organization.',
    required: ['name', 'email', 'full-name'],
    optional: ['subdomain', 'type', 'password', 'zuliprc', 'site'],
  },
  'realm list': { description: 'List organizations.' },
  'realm deactivate': { description: 'Close an organization to all its users.', optional: ['realm'] },
  'realm reactivate': { description: 'Open the organization again.', optional: ['realm'] },
  'realm delete': {
    description: "Remove a deactivated organization for good, with all its data. '' is the one without subdomain.",
    words: ['SUBDOMAIN'],
    optional: ['yes'],
  },
  'user create': {
    description: 'Create an account; without --password the first line of the input is its password.',
    required: ['email', 'full-name'],
    optional: ['password', 'user-role', 'realm'],
  },
  'user key': {
    description: "Print an account's API key.",
    required: ['email'],
    optional: ['realm', 'zuliprc', 'site'],
  },
  'user new-key': {
    description: 'Give an account a new API key and print it; the old key becomes void.',
    required: ['email'],
    optional: ['realm', 'zuliprc', 'site'],
  },
  'user password': {
    description: "Set an account's password, read from the first line of the input; ends its browser sessions.",
    required: ['email'],
    optional: ['password', 'realm'],
  },
  'user forget-identities': {
    description: 'Let an account be signed in to by another identity of the same provider.',
    required: ['email'],
    optional: ['realm'],
  },
  'user sign-in-link': {
    description: 'Print a link that signs a person in with a browser, once, within an hour.',
    required: ['email'],
    optional: ['realm', 'site'],
  },
  'user role': { description: "Change an account's role.", words: ['EMAIL', 'ROLE'], optional: ['realm'] },
  'user billing': {
    description: "Whether the account manages the organization's billing.",
    words: ['EMAIL', 'on|off'],
    optional: ['realm'],
  },
  'user rate-limit': {
    description: 'Calls an account may make: seconds:calls,…, usual (as all others) or off.',
    words: ['EMAIL', 'RULES|usual|off'],
    optional: ['realm'],
  },
  'user deactivate': { description: 'Deactivate an account and its bots.', words: ['EMAIL'], optional: ['realm'] },
  'user reactivate': { description: 'Make the account active again.', words: ['EMAIL'], optional: ['realm'] },
  'cluster status': {
    description: 'Hosts and their partitions; exit code 1 if a partition has no living owner.',
    optional: ['json'],
  },
  'cluster drain': {
    description:
      "Make a host hand over all its partitions and take no more; waits until it is done. HOST is an id or a name in 'cluster status', or the beginning of one.",
    words: ['HOST'],
  },
  'cluster undrain': { description: 'Let the host take its share of partitions again.', words: ['HOST'] },
  import: {
    description: "Make an organization of another server's or Slack's export (docs/how-to/move-in.md).",
    words: ['[FILE|DIR]'],
    required: ['subdomain'],
    optional: ['check', 'passwords', 'no-invitations', 'former-site', 'site', 'drop', 'usual-priority'],
  },
  export: {
    description: 'Write an organization into a folder or a .tar.gz.',
    words: ['FILE|DIR'],
    optional: ['subdomain', 'usual-priority'],
  },
  backup: {
    description: 'Write a backup of the data directory into DIR; its server may be running.',
    words: ['DIR'],
  },
  restore: { description: 'Create the data directory (--data-dir) from a backup.', words: ['DIR'] },
  'store format': {
    description: "Show the format of a cluster's database, and the newest that this program knows.",
  },
  'store raise-format': {
    description: "Raise the format to this program's, once no process of an older version is left.",
  },
  'store restored': { description: "Run after a cluster's database was restored, before any process starts." },
  'store log-streams': {
    description:
      'Change the number of log streams of a stopped cluster to that of --log-streams; clients register their event queues again.',
  },
  'secret changed': {
    description:
      'Run after the server secret was changed or lost, before any process starts with the new one: all earlier API keys and links in mails become void.',
  },
  'check-config': { description: 'Show the configuration, or what is wrong with it.' },
} as const satisfies Readonly<Record<string, CliCommandDeclaration>>;

export type CliCommandName = keyof typeof CLI_COMMAND_DECLARATIONS;

type OptionNamesOf<
  N extends CliCommandName,
  K extends 'required' | 'optional',
> = (typeof CLI_COMMAND_DECLARATIONS)[N] extends {
  readonly [_ in K]: readonly (infer O extends CliOptionName)[];
}
  ? O
  : never;

type CliOptionValue<O extends CliOptionName> = (typeof CLI_OPTION_DECLARATIONS)[O] extends { readonly value: string }
  ? string
  : boolean;

/** Options of a command besides the settings, as given on the command line. */
export type CliOptionsOf<N extends CliCommandName> = {
  readonly [O in OptionNamesOf<N, 'required'>]: CliOptionValue<O>;
} & { readonly [O in OptionNamesOf<N, 'optional'>]?: CliOptionValue<O> };

/** Declaration of a command in the form that all commands have. */
export const declarationOfCommand = (name: CliCommandName): CliCommandDeclaration => CLI_COMMAND_DECLARATIONS[name];

/** Options of all commands, in the form of `util.parseArgs`. */
export const COMMAND_LINE_OPTIONS = Object.fromEntries(
  Object.entries<CliOptionDeclaration>(CLI_OPTION_DECLARATIONS).map(([name, { value }]) => [
    name,
    { type: value === undefined ? ('boolean' as const) : ('string' as const) },
  ]),
);

/** An option as the help text shows it: in brackets unless it is required. */
export function formatOptionUsage(name: CliOptionName, isRequired: boolean): string {
  const { value, description }: CliOptionDeclaration = CLI_OPTION_DECLARATIONS[name];
  const text = `--${name}${value === undefined ? '' : ` ${value}`}${description === undefined ? '' : `: ${description}`}`;
  return isRequired ? text : `[${text}]`;
}
