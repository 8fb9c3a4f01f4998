/** Role guards of operations (conventions.md § Roles), after authentication and before parameters. */
import { apiError, type Guard } from '../api/index.js';
import type { DirectoryUser } from '../directory/index.js';

const OWNER = 100;
const ADMIN = 200;
const GUEST = 600;
const INCOMING_WEBHOOK = 2;

/** Throws the refusal of conventions.md § Roles, or WEBHOOK_BOT for an incoming-webhook bot where none is admitted. */
export function checkGuard(guard: Guard, webhookBots: boolean, user: DirectoryUser): void {
  if (user.botType === INCOMING_WEBHOOK && !webhookBots) throw apiError('WEBHOOK_BOT');
  switch (guard) {
    case 'none':
    case 'user':
      return;
    case 'admin':
      if (user.role > ADMIN) throw apiError('ADMIN_REQUIRED');
      return;
    case 'owner':
      if (user.role > OWNER) throw apiError('OWNER_REQUIRED');
      return;
    case 'human':
      if (user.botType !== null) throw apiError('NO_BOTS');
      return;
    case 'member_human':
      if (user.role === GUEST) throw apiError('NO_GUESTS');
      if (user.botType !== null) throw apiError('NO_BOTS');
      return;
    case 'non_guest':
      if (user.role === GUEST) throw apiError('NO_GUESTS');
  }
}
