/**
 * Tokens (JWT) that a service of the organization signs so that its users get their API keys: the setting `jwt-keys`.
 */
import { jwtVerify } from 'jose';
import { Type } from 'typebox';
import { Value } from 'typebox/value';
import { describeFirstSchemaProblem, parseJsonSettingOrFile } from './config.js';

interface JwtKey {
  readonly key: string;
  readonly algorithms: readonly string[];
}

/** Keys for the signatures of tokens, by subdomain; '' for the organization without a subdomain. */
export type JwtKeysBySubdomain = Readonly<Record<string, JwtKey>>;

const MIN_JWT_KEY_CHARACTERS = 32;
const JWT_KEYS_SCHEMA = Type.Record(
  Type.String(),
  Type.Object(
    {
      key: Type.String({ minLength: MIN_JWT_KEY_CHARACTERS }),
      algorithms: Type.Optional(Type.Array(Type.Enum(['HS256', 'HS384', 'HS512']), { minItems: 1 })),
    },
    { additionalProperties: false },
  ),
);

/** Parses the setting `jwt-keys`. @param given JSON, or the path of a file with JSON @throws Error with the reason */
export function parseJwtKeysSetting(given: string): JwtKeysBySubdomain {
  return parseJsonSettingOrFile(given, '{', parseJwtKeys);
}

function parseJwtKeys(read: unknown): JwtKeysBySubdomain {
  if (!Value.Check(JWT_KEYS_SCHEMA, read)) {
    const form = `{"acme": {"key": "at least ${MIN_JWT_KEY_CHARACTERS} characters"}}`;
    throw new Error(`must be keys by subdomain (${form}): ${describeFirstSchemaProblem(JWT_KEYS_SCHEMA, read)}`);
  }
  const entries = Object.entries(read).map(
    ([subdomain, { key, algorithms = ['HS256'] }]) => [subdomain, { key, algorithms }] as const,
  );
  return Object.fromEntries(entries);
}

/** Verifies a token and returns its claims; undefined if the signature is wrong or the token has expired. */
export async function verifyJwtAndGetClaims(
  { key, algorithms }: JwtKey,
  token: string,
  now: number,
): Promise<Readonly<Record<string, unknown>> | undefined> {
  try {
    const options = { algorithms: [...algorithms], currentDate: new Date(now) };
    return (await jwtVerify(token, Buffer.from(key, 'utf8'), options)).payload;
  } catch {
    return undefined;
  }
}
