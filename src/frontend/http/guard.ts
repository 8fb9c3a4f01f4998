/**
 * The `guard` step of the pipeline: refuses callers without the role that the operation demands (conventions.md §
 * Roles).
 */
import { isAllowedByPolicy } from '#domain/people';
import type { ApiOperation, OperationCallerGuard } from '#frontend/api';
import { apiError } from '#model/errors';
import type { AuthenticatedCaller } from './services.js';

const OWNER_ROLE = 100;
const ADMINISTRATOR_ROLE = 200;
const GUEST_ROLE = 600;
const INCOMING_WEBHOOK_BOT_TYPE = 2;

/** Refuses incoming-webhook bots, unless the operation admits them. @throws ApiError WEBHOOK_BOT */
export function checkWebhookBotAllowed({ webhookBots }: ApiOperation, { user }: AuthenticatedCaller): void {
  if (user.botType === INCOMING_WEBHOOK_BOT_TYPE && !webhookBots) throw apiError('WEBHOOK_BOT');
}

/** Refuses a caller whose role the guard of an operation excludes. @throws ApiError */
export function checkCallerAdmittedByGuard(
  guard: OperationCallerGuard,
  { user, directory }: AuthenticatedCaller,
  now: number,
): void {
  switch (guard) {
    case 'none':
    case 'user':
      return;
    case 'admin':
      if (user.role > ADMINISTRATOR_ROLE) throw apiError('ADMIN_REQUIRED');
      return;
    case 'owner':
      if (user.role > OWNER_ROLE) throw apiError('OWNER_REQUIRED');
      return;
    case 'human':
      if (user.botType !== null) throw apiError('NO_BOTS');
      return;
    case 'member_human':
    case 'user_group_edit_policy_human': {
      if (user.role === GUEST_ROLE) throw apiError('NO_GUESTS');
      if (user.botType !== null) throw apiError('NO_BOTS');
      if (guard === 'member_human') return;
      const { settings } = directory;
      if (isAllowedByPolicy(settings.user_group_edit_policy, user, settings, now)) return;
      throw apiError('INSUFFICIENT_PERMISSION');
    }
    case 'non_guest':
      if (user.role === GUEST_ROLE) throw apiError('NO_GUESTS');
      return;
    case 'webhook_bot':
      if (user.botType !== INCOMING_WEBHOOK_BOT_TYPE) throw apiError('NOT_WEBHOOK_BOT');
  }
}
