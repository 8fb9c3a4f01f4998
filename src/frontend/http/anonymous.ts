/** Calls without credentials: which organization they are for, and whether it lets them in. */

import { hasPublicAccess } from '#domain/streams';
import type { Operation } from '#frontend/api';
import { ApiError, apiError } from '#model/errors';
import type { AnonymousCaller, FrontendServices } from './services.js';

const isNowhere = (error: unknown): boolean => error instanceof ApiError && error.reason === 'NONEXISTENT_SUBDOMAIN';

/** For operations that need no account. */
export function anonymousAt(
  services: FrontendServices,
  host: string,
  { unknownHost }: Operation,
): AnonymousCaller | Promise<AnonymousCaller> {
  const at = services.anonymous(host);
  if (!unknownHost || !(at instanceof Promise)) return at;
  return at.catch((error: unknown) => {
    throw isNowhere(error) ? apiError(unknownHost) : error;
  });
}

/** Nobody in particular, where the organization has public access; elsewhere an account is needed. */
export async function visitorAt(services: FrontendServices, host: string, server: boolean): Promise<AnonymousCaller> {
  if (!server) throw apiError('NOT_LOGGED_IN');
  try {
    const at = await services.anonymous(host);
    if (hasPublicAccess(server, at.directory)) return at;
  } catch (error) {
    if (!isNowhere(error)) throw error;
  }
  throw apiError('NOT_LOGGED_IN');
}
