/** All cases, in the order in which they run. */
import type { Case } from '../case.js';
import { fanout } from './fanout.js';
import { me, ping, presence, send, users } from './requests.js';

export const CASES: readonly Case[] = [fanout, me, users, send, ping, presence];
