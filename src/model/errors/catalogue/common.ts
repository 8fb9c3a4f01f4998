/** Raised before a handler runs, and by the server itself. */
import { bad, type CatalogueEntry } from './entry.js';

const unauthorized = <const M extends string>(msg: M) => ({ code: 'UNAUTHORIZED', status: 401, msg }) as const;

export const common = {
  NOT_LOGGED_IN: { status: 401, msg: 'Not logged in: API authentication or user session required' },
  AUTH_SCHEME: bad('This endpoint requires HTTP basic authentication.'),
  AUTH_HEADER: unauthorized('Invalid authorization header for basic auth'),
  API_KEY_MALFORMED: unauthorized('Malformed API key'),
  API_KEY_UNKNOWN: unauthorized('Invalid API key'),
  /** `?api_key=`: with the code of its own (conventions.md § Authentication). */
  QUERY_KEY_MALFORMED: { code: 'INVALID_API_KEY', status: 401, msg: 'Malformed API key' },
  QUERY_KEY_UNKNOWN: { code: 'INVALID_API_KEY', status: 401, msg: 'Invalid API key' },
  ACCOUNT_DEACTIVATED: unauthorized('Account is deactivated'),
  ORGANIZATION_DEACTIVATED: unauthorized('This organization has been deactivated'),
  WRONG_SUBDOMAIN: unauthorized('Account is not associated with this subdomain'),
  WEBHOOK_BOT: unauthorized('This API is not available to incoming webhook bots.'),
  NONEXISTENT_SUBDOMAIN: { code: 'NONEXISTENT_SUBDOMAIN', status: 404, msg: 'Invalid subdomain' },
  /** The peer answers an HTML page; ours is JSON like every other answer. */
  NOT_FOUND: { status: 404, msg: 'Not Found' },
  METHOD_NOT_ALLOWED: { status: 405, msg: 'Method Not Allowed', data: ['allowed_methods'] },
  RATE_LIMIT_HIT: {
    code: 'RATE_LIMIT_HIT',
    status: 429,
    msg: 'API usage exceeded rate limit',
    data: ['retry-after'],
    retryable: true,
  },
  ADMIN_REQUIRED: { code: 'UNAUTHORIZED_PRINCIPAL', status: 400, msg: 'Must be an organization administrator' },
  OWNER_REQUIRED: { code: 'UNAUTHORIZED_PRINCIPAL', status: 400, msg: 'Must be an organization owner' },
  NO_BOTS: bad('This endpoint does not accept bot requests.'),
  NO_GUESTS: bad('Not allowed for guest users'),
  REQUEST_VARIABLE_MISSING: {
    code: 'REQUEST_VARIABLE_MISSING',
    status: 400,
    msg: "Missing '{var_name}' argument",
    data: ['var_name'],
  },
  REQUEST_VARIABLE_INVALID: {
    code: 'REQUEST_VARIABLE_INVALID',
    status: 400,
    msg: "Bad value for '{var_name}': {bad_value}",
    data: ['var_name', 'bad_value'],
  },
  REQUEST_CONFUSING_VAR: {
    code: 'REQUEST_CONFUSING_VAR',
    status: 400,
    msg: "Can't decide between '{var_name1}' and '{var_name2}' arguments",
    data: ['var_name1', 'var_name2'],
  },
  ARGUMENT_NOT_JSON: bad('Argument "{var_name}" is not valid JSON.'),
  /** Validator messages are made from the schema (http/validate.ts). */
  VALIDATION_FAILED: bad('{message}'),
  /** Ours: the form cannot be taken apart (a multipart body without its boundary, too many fields). */
  MALFORMED_FORM: bad('Malformed request body'),
  /** Ours: the peer's proxy answers an HTML page. */
  BODY_TOO_LARGE: { code: 'BAD_REQUEST', status: 413, msg: 'Request body is larger than the allowed limit' },
  INTERNAL: { status: 500, msg: 'Internal server error' },
  /** Ours: nobody answers for the actor, too much is queued, or the deadline passed. Codeless, like 500. */
  SERVICE_UNAVAILABLE: { status: 503, msg: 'Service temporarily unavailable, please try again', retryable: true },
} as const satisfies Record<string, CatalogueEntry>;
