/** Checks of POST /users/me/subscriptions, in the order of streams.md. */
import { apiError } from '../../../src/api/errors.js';
import type { DirectoryUser, RealmSettings } from '../../../src/directory/index.js';
import { renderMarkdown } from '../../../src/markdown/index.js';
import { isOwner, policyAllows } from '../../../src/people/index.js';
import { checkStreamName } from '../../../src/streams/index.js';

/** null = the organization's default. @throws ApiError */
export function retentionOf(value: string | number): number | null {
  if (value === 'realm_default') return null;
  if (value === 'unlimited') return -1;
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= 1) return value;
  throw apiError('REQUEST_VARIABLE_INVALID', { var_name: 'message_retention_days', bad_value: value });
}

/** Who is to be subscribed. Anything but the caller's own id counts as 'others'. @throws ApiError */
export function checkPrincipals(
  principals: readonly (string | number)[],
  acting: DirectoryUser,
  settings: RealmSettings,
  now: number,
  find: (principal: string | number) => DirectoryUser | undefined,
): DirectoryUser[] {
  if (principals.every((p) => p === acting.id)) return [acting];
  if (!policyAllows(Number(settings.invite_to_stream_policy), acting, settings, now)) {
    throw apiError('INSUFFICIENT_PERMISSION');
  }
  const users = new Map<number, DirectoryUser>();
  for (const principal of principals) {
    const user = find(principal);
    if (!user?.isActive) throw apiError('PRINCIPAL_NOT_AUTHORIZED', { principal });
    users.set(user.id, user);
  }
  return [...users.values()];
}

export interface WantedStream {
  readonly name: string;
  readonly description: string;
  readonly rendered: string;
  readonly color: string | undefined;
}

/** Checked names, each once, in the order given. @throws ApiError */
export function wantedStreams(
  subscriptions: readonly { readonly name: string; readonly description?: string; readonly color?: string }[],
): WantedStream[] {
  const wanted = new Map<string, WantedStream>();
  for (const { name: given, description: text, color } of subscriptions) {
    const name = checkStreamName(given);
    const description = (text ?? '').replaceAll('\n', ' ');
    if (!wanted.has(name.toLowerCase())) {
      const rendered = description === '' ? '' : renderMarkdown(description).html;
      wanted.set(name.toLowerCase(), { name, description, rendered, color });
    }
  }
  return [...wanted.values()];
}

/** May the caller create streams of this kind? @throws ApiError */
export function checkCreation(
  args: { readonly invite_only: boolean; readonly is_web_public: boolean },
  acting: DirectoryUser,
  settings: RealmSettings,
  now: number,
  retention: number | null,
): void {
  const policy = args.invite_only ? settings.create_private_stream_policy : settings.create_public_stream_policy;
  if (!policyAllows(Number(policy), acting, settings, now)) throw apiError('INSUFFICIENT_PERMISSION');
  // Public access needs the server's consent, which no configuration gives yet.
  if (args.is_web_public) throw apiError('NO_WEB_PUBLIC_STREAMS');
  if (retention !== null && !isOwner(acting)) throw apiError('OWNER_REQUIRED');
}
