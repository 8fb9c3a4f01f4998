/** A server that names the extra emoji as older clients know it (api/README.md § Names; embedded face only). */
import type { Test } from 'tap';
import { startEmbedded } from '../../support/faces.js';
import { makeOrganization, tell } from '../../support/organization.js';
import { Queue } from '../../support/queue.js';
import type { ApiMessage } from '../../support/types.js';

export async function emojiNames(t: Test): Promise<void> {
  const server = await startEmbedded({ emojiNames: 'zulip' });
  t.teardown(() => server.close());
  const { owner } = await makeOrganization(server, []);

  await t.test('the extra emoji has one name in objects, events and texts, whichever name a client sent', async (t) => {
    const queue = await Queue.register(owner, { event_types: ['reaction', 'message'], apply_markdown: true });
    const message_id = await tell(owner, [owner], ':conclave: :zulip:');
    const zulip = { emoji_name: 'zulip', emoji_code: 'zulip', reaction_type: 'zulip_extra_emoji' };
    for (const params of [
      { emoji_name: 'conclave' },
      { emoji_name: 'zulip', emoji_code: 'conclave', reaction_type: 'service_extra_emoji' },
      zulip,
    ]) {
      await owner.api.ok('POST /messages/{message_id}/reactions', { message_id, ...params });
      const { message } = await owner.api.ok<{ message: ApiMessage }>('GET /messages/{message_id}', { message_id });
      t.match(message.reactions, [zulip]);
      await owner.api.ok('DELETE /messages/{message_id}/reactions', { message_id, emoji_code: 'conclave' });
    }
    const [sent, ...told] = await queue.take(7);
    t.match(told, Array(6).fill(zulip));
    const { content } = sent!.message as ApiMessage;
    t.equal(content.match(/alt=":zulip:"/g)?.length, 2);
    t.notMatch(content, /conclave/);
  });
}
