/** `GET /users`: the list of all accounts of an organization with `--users` accounts. */
import { defineCase } from '../case.js';
import type { Figure } from '../figures.js';
import { measureRate } from '../measure-rate.js';
import { type Account, makeIdleAccounts, usersRequest } from '../prepare.js';

/** Number of accounts that send requests; the other accounts need no API key. */
const REQUESTING_ACCOUNTS = 10;

export const users = defineCase<readonly Account[]>({
  name: 'users',
  about: 'GET /users of --users accounts',
  server: {},
  async prepare(bench) {
    const accounts = await bench.makeAccounts(REQUESTING_ACCOUNTS);
    // The owner counts as an account, too.
    await makeIdleAccounts(bench.face, bench.options.listedUsers - REQUESTING_ACCOUNTS - 1);
    return accounts;
  },
  async measure(bench, asking) {
    const { listedUsers: count, concurrencies } = bench.options;
    const target = {
      id: `users${count}`,
      title: `\`GET /users\` of ${count} users`,
      requests: asking.map(({ authorization }) => usersRequest(authorization)),
    };
    const figures: Figure[] = [];
    for (const connections of concurrencies) figures.push(...(await measureRate(bench, { ...target, connections })));
    return figures;
  },
});
