/** All cases, in the order in which they run. */
import type { Case } from '../case.js';
import { fanout } from './fanout.js';
import { me, ping, presence, send } from './requests.js';
import { users } from './users.js';

export const CASES: readonly Case[] = [fanout, users, me, send, ping, presence];
