/** Operations that each role may carry out on its own objects, and the refusals of all others. */

import { makeBot, makeOrganization, streamIdOf, subscribe } from '../../../support/organization.js';
import { errorsOf } from '../../../support/wire.js';
import type { Facts } from '../../facts.js';
import { BOTS } from './bots.js';
import { INVITATIONS } from './invitations.js';
import { MESSAGES } from './messages.js';
import { ORGANIZATION } from './organization.js';
import { PEOPLE } from './people.js';
import { PROFILES } from './profiles.js';
import { STREAMS } from './streams.js';

const NO_BOTS = 'This endpoint does not accept bot requests.';

const ROWS = [...PEOPLE, ...MESSAGES, ...STREAMS, ...ORGANIZATION, ...INVITATIONS, ...PROFILES, ...BOTS];

export const everyRole: Facts = async (t, server) => {
  const org = await makeOrganization(server);
  await subscribe(org.owner, 'everybody', { principals: [...org.people] });
  const bot = await makeBot(org.member);
  await subscribe(org.owner, 'everybody', { principals: [bot] });
  const world = { org, stream: await streamIdOf(org.owner, 'everybody') };
  for (const { operation, params, refused } of ROWS) {
    const closed = errorsOf(operation).some(({ msg }) => msg === NO_BOTS);
    for (const by of [...org.people, bot]) {
      const { status, body } = await by.api.call(
        operation,
        await params(by === bot && closed ? org.member : by, world),
      );
      const expected = by === bot ? (closed ? NO_BOTS : (refused?.bot ?? refused?.member)) : refused?.[by.role];
      t.same([status, body.msg], expected === undefined ? [200, ''] : [400, expected], `${operation} as ${by.role}`);
    }
  }
};
