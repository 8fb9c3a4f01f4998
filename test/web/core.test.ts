/** The state core of the web client against a real server. */
import t from 'tap';
import { directNarrow, topicNarrow } from '../../web/src/core/index.js';
import { startEmbedded } from '../api/support/faces.js';
import { makeOrganization, say, streamIdOf, subscribe, tell } from '../api/support/organization.js';
import { until } from '../support/until.js';
import { openTab } from './support/tab.js';

const server = await startEmbedded();
t.teardown(() => server.close());

t.test('a message of one user is in the window of another', async (t) => {
  const org = await makeOrganization(server, ['member', 'other']);
  await subscribe(org.owner, 'general', { principals: [org.owner, org.member, org.other] });
  const stream = await streamIdOf(org.member, 'general');
  const first = await say(org.other, 'general', 'plans', 'before');
  const { core } = await openTab(t, server, org.member);
  t.equal(core.session.state.value, 'signed-in');
  const window = core.windows.open(topicNarrow(stream, 'plans'));
  await window.jumpTo('first_unread');
  t.strictSame(window.ids.value, [first]);
  t.equal(window.anchor.value, first);
  t.equal(core.state.unread.countOf({ stream, topic: 'Plans' }).value, 1);
  const second = await say(org.other, 'general', 'plans', 'after');
  await until('the message', () => window.ids.value.includes(second));
  t.equal(core.state.unread.countOf({ stream, topic: 'plans' }).value, 2);
  core.reading.seen(window.ids.value, window.narrow);
  t.equal(core.state.unread.countOf({ stream, topic: 'plans' }).value, 0);
  core.outbox.send({ stream, topic: 'plans' }, 'mine');
  t.equal(core.outbox.in(window.narrow).value.length, 1);
  await until('own message', () => window.ids.value.length === 3);
  t.equal(core.outbox.items.value.length, 0);
  const direct = core.windows.open(directNarrow([org.other.id]));
  await direct.jumpTo('newest');
  await tell(org.other, [org.member], 'hello');
  await until('direct', () => direct.ids.value.length === 1);
});
