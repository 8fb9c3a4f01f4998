/**
 * The wings of the source tree and the directions in which they may import each other. `npm run docs` prints the table;
 * test/unit/layers.test.ts holds every import to it.
 */

interface SourceWingRule {
  readonly purpose: string;
  /** Wings that this one may import, besides itself. */
  readonly imports: readonly string[];
}

export const SOURCE_WING_RULES: Readonly<Record<string, SourceWingRule>> = {
  app: {
    purpose: 'start, command line, settings, administration, backup, reference; names the implementations of ports',
    imports: ['actors', 'frontend', 'delivery', 'directory', 'runtime', 'domain', 'ports', 'model', 'base'],
  },
  frontend: {
    purpose: 'HTTP requests to commands of actors; only its gateway imports the runtime',
    imports: ['directory', 'runtime', 'domain', 'ports', 'model', 'base'],
  },
  actors: {
    purpose: 'the kinds of actors; a kind imports `actors/shared` and `actors/services.ts`, never another kind',
    imports: ['delivery', 'runtime', 'directory', 'domain', 'ports', 'model', 'base'],
  },
  delivery: {
    purpose: 'log entries to the event queues of one host',
    imports: ['directory', 'domain', 'ports', 'model', 'base'],
  },
  directory: {
    purpose: 'replicas of realms, kept by every process',
    imports: ['runtime', 'domain', 'ports', 'model', 'base'],
  },
  runtime: { purpose: 'the actor host; names no kind of actor', imports: ['ports', 'model', 'base'] },
  domain: { purpose: 'rules of a chat server, mostly pure functions', imports: ['ports', 'model', 'base'] },
  ports: { purpose: 'store, log, bus, blobs, placement: contracts and implementations', imports: ['model', 'base'] },
  model: { purpose: 'ids, records, commands, errors: types and constants', imports: ['base'] },
  base: { purpose: 'code without knowledge of chat', imports: [] },
};

/** Imports that only one folder of a wing may make: 'wing → imported wing' → that folder. */
export const ONLY_FOLDER_BY_RESTRICTED_IMPORT: Readonly<Record<string, string>> = {
  'frontend → runtime': 'src/frontend/gateway',
};

/** Writes the text of docs/architecture/directions.md. */
export function renderImportDirectionsPage(): string {
  const names = Object.keys(SOURCE_WING_RULES);
  const rows = names.map((name) => {
    const { imports } = SOURCE_WING_RULES[name]!;
    const cells = names.map((other) => (other === name ? '·' : imports.includes(other) ? '✔' : ''));
    return `| **${name}** | ${cells.join(' | ')} |`;
  });
  return [
    '# Directions of imports',
    '',
    'Made by `npm run docs` from `src/app/reference/directions.ts`. `test/unit/layers.test.ts` proves that no import leaves',
    'this table, that there is no circle of files (type-only imports included), that no kind of actor imports another,',
    'that folders import each other by their doors (`#domain/people` is `src/domain/people/index.ts`), and that only `app`',
    'names implementations of ports.',
    '',
    `| imports → | ${names.join(' | ')} |`,
    `|---|${names.map(() => ':-:|').join('')}`,
    ...rows,
    '',
    ...names.map((name) => `- **${name}**: ${SOURCE_WING_RULES[name]!.purpose}.`),
    '',
  ].join('\n');
}
