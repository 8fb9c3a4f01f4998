/** Features that follow accounts: their effects become part of the commit that changes one. */
import type { AccountEffect } from './account-changes.js';
import { botEffect } from './bot-effects.js';

/** In the order in which clients hear of them. */
export const ACCOUNT_EFFECTS: readonly AccountEffect[] = [botEffect];
