/** An API key alone, in the query: for addresses of files. */
import { ApiError, apiError } from '#model/errors';
import { checkKey } from './basic-auth.js';
import type { Caller, FrontendServices } from './services.js';

/** Here the refusals have codes of their own (conventions.md § Authentication). */
const NAMES = {
  API_KEY_MALFORMED: 'QUERY_KEY_MALFORMED',
  API_KEY_UNKNOWN: 'QUERY_KEY_UNKNOWN',
  ACCOUNT_DEACTIVATED: 'USER_DEACTIVATED',
  ORGANIZATION_DEACTIVATED: 'REALM_DEACTIVATED',
} as const;

function refuse(error: unknown): never {
  const name = error instanceof ApiError ? NAMES[error.reason as keyof typeof NAMES] : undefined;
  throw name === undefined ? error : apiError(name);
}

/** @throws ApiError, or rejects with it */
export function authenticateByKey(services: FrontendServices, key: string, host: string): Caller | Promise<Caller> {
  try {
    const caller = services.authenticate(undefined, checkKey(key), host);
    return caller instanceof Promise ? caller.catch(refuse) : caller;
  } catch (error) {
    return refuse(error);
  }
}
