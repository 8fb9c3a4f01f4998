/** All cases, in the order in which they run. */
import type { Case } from '../case.js';
import { exchange } from './exchange.js';
import { fanout } from './fanout.js';
import { fanoutRate } from './fanout-rate.js';
import { held } from './held.js';
import { history } from './history.js';
import { levels } from './levels.js';
import { missed } from './missed.js';
import { register } from './register.js';
import { me, ping, presence, send } from './requests.js';
import { users } from './users.js';
import { web } from './web.js';

export const CASES: readonly Case[] = [
  fanout,
  fanoutRate,
  levels,
  users,
  me,
  send,
  ping,
  presence,
  register,
  held,
  history,
  missed,
  web,
  exchange,
];
