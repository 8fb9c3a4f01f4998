import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { ApiError, apiError } from '#model/errors';
import { API_ERROR_CATALOGUE, type ErrorCatalogueEntry } from '../../../src/model/errors/catalogue.js';

interface CommonError {
  readonly status: number;
  readonly code?: string;
  readonly msg: string;
  readonly extra?: Readonly<Record<string, string>>;
  readonly seed_omits_code?: boolean;
}
/** tap runs in the folder of the package. */
const root = process.cwd();
const entries = Object.entries(API_ERROR_CATALOGUE) as [keyof typeof API_ERROR_CATALOGUE, ErrorCatalogueEntry][];

t.test('every common error of the API description is in the catalogue, with its code, status and data', async (t) => {
  const common = JSON.parse(readFileSync(join(root, 'test/fixtures/common-errors.json'), 'utf8')) as CommonError[];
  for (const error of common) {
    if (error.msg === 'see conventions.md') continue;
    const code = error.seed_omits_code ? undefined : error.code;
    const found = entries.find(([, e]) => e.msg === error.msg && e.code === code && e.status === error.status);
    t.ok(found, error.msg);
    t.same([...(found?.[1].data ?? [])].sort(), Object.keys(error.extra ?? {}).sort(), `data of ${error.msg}`);
  }
});

t.test('no two entries have the same message', async (t) => {
  const seen = entries.map(([, e]) => `${e.code} ${e.status} ${e.msg} ${e.data?.join()}`);
  t.equal(new Set(seen).size, seen.length);
});

t.test('every entry is used', async (t) => {
  const sources = ['src', 'actors'].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.ts') && !name.includes('errors/catalogue'))
      .map((name) => readFileSync(join(root, folder, name), 'utf8')),
  );
  const named = new Set(sources.join('\n').match(/\b[A-Z][A-Z0-9_]+\b/g));
  for (const [name] of entries) t.ok(named.has(name), name);
});

t.test('every message of the catalogue is one of the API description, or marked as ours', async (t) => {
  const pages = readdirSync(join(root, 'docs/api')).map((name) => join('docs/api', name));
  const text = [...pages, 'test/fixtures/api/wire.json']
    .map((path) => readFileSync(join(root, path), 'utf8').replaceAll('\\"', '"').replace(/\s+/g, ' '))
    .join(' ');
  const pieces = (msg: string): string[] => msg.split(/\{[^}]+\}/).map((piece) => piece.trim());
  const ours = new Set([
    'NOT_FOUND',
    'VALIDATION_FAILED',
    'MALFORMED_FORM',
    'BODY_TOO_LARGE',
    'SERVICE_UNAVAILABLE',
    'TOO_MANY_REACTIONS',
    'EDIT_HISTORY_FULL',
    'JOINED_TOO_OFTEN',
    'MOVED_TOO_OFTEN',
    'NOT_FROM_WEB_CLIENT',
    'SESSION_CHANGED',
    'API_LEVEL_INVALID',
    'SIGN_IN_LINK_VOID',
    'NO_SUCH_SESSION',
    'SIGN_IN_FLOW_VOID',
    'SINGLE_SIGN_ON_DISABLED',
    'IDENTITY_WITHOUT_ADDRESS',
    'IDENTITY_WITH_UNUSABLE_ADDRESS',
    'IDENTITY_OF_ANOTHER',
    'WEB_PUSH_OFF',
    'INVALID_PUSH_SUBSCRIPTION',
    'IMPORT_UNFINISHED',
    'IMPORT_DROPPED',
    'IMPORT_SUBDOMAIN_TAKEN',
    'IMPORT_TAKEN_OVER',
    'REALM_NOT_DEACTIVATED',
    'MAIL_LINK',
    'INVITATION_GONE',
    'SIGN_UP_CLOSED',
    'JWT_NOT_ENABLED',
    'BIG_BLUE_BUTTON_NOT_CONFIGURED',
    'IMAGE_NOT_SIGNED',
    'IMAGE_UNAVAILABLE',
    'IMAGE_UNFIT',
    'IMAGE_TOO_SLOW',
  ]);
  for (const [name, { msg }] of entries) {
    if (ours.has(name)) continue;
    for (const piece of pieces(msg)) t.ok(text.includes(piece), `${name}: ${piece}`);
  }
});

t.test('placeholders are filled once, and data fields are added beside the message', async (t) => {
  const error = apiError('REQUEST_VARIABLE_INVALID', { var_name: 'x', bad_value: '{var_name}' });
  t.same(error.toReply(), {
    code: 'REQUEST_VARIABLE_INVALID',
    status: 400,
    msg: "Bad value for 'x': {var_name}",
    extra: { var_name: 'x', bad_value: '{var_name}' },
  });
  t.equal(apiError('RECIPIENT_GONE', { email: 'a@b.c' }).message, "'a@b.c' is no longer using Conclave.");
  t.ok(error instanceof ApiError);
});

t.test('codeless errors have no code key', async (t) => {
  t.notOk('code' in apiError('NOT_LOGGED_IN').toReply());
  t.notOk('code' in apiError('INTERNAL').toReply());
  t.equal(apiError('SERVICE_UNAVAILABLE').retryable, true);
});
