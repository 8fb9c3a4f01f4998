/** The list of all accounts of an organization of some size. */
import { defineCase } from '../case.js';
import type { Figure } from '../figures.js';
import { measureRate } from '../measure.js';
import { type Account, makePeople, usersText } from '../prepare.js';

/** Number of users who send requests; the others only exist and need no key. */
const ASKING = 10;

export const users = defineCase<readonly Account[]>({
  name: 'users',
  about: 'GET /users of --users accounts',
  server: {},
  async prepare(bench) {
    const asking = await bench.accounts(ASKING);
    // The owner is one, too.
    await makePeople(bench.face, bench.options.users - ASKING - 1);
    return asking;
  },
  async measure(bench, asking) {
    const { users: count, concurrencies } = bench.options;
    const target = {
      id: `users${count}`,
      title: `\`GET /users\` of ${count} users`,
      requests: asking.map(({ authorization }) => usersText(authorization)),
    };
    const figures: Figure[] = [];
    for (const connections of concurrencies) figures.push(...(await measureRate(bench, { ...target, connections })));
    return figures;
  },
});
