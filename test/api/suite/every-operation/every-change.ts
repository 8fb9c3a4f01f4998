/**
 * Snapshot + events = state for changes that other families look at from one side only: by the acting user, and by
 * other users at once.
 */

import type { Params } from '../../support/client.js';
import { makeOrganization, type Person, streamIdOf, subscribe } from '../../support/organization.js';
import { verifyAction } from '../../support/verify-action.js';
import type { Facts } from '../facts.js';

export const everyChange: Facts = async (t, server) => {
  const org = await makeOrganization(server, ['admin', 'member']);
  const { admin, member } = org;
  await subscribe(admin, 'changed', { principals: [admin, member] });
  const stream_id = await streamIdOf(admin, 'changed');
  const draft = { type: '', to: [], topic: '', content: 'a draft' };
  const {
    ids: [draft_id],
  } = await member.api.ok<{ ids: number[] }>('POST /drafts', { drafts: [draft] });
  const linkifier = { pattern: '#(?P<id>[0-9]+)', url_template: 'https://x.example.com/{id}' };
  const playground = { name: 'play', highlighter_language: 'Python', url_prefix: 'https://play.example.com/' };

  const verify = async (operation: string, by: Person, params: Params): Promise<Record<string, unknown>> => {
    let answer: Record<string, unknown> = {};
    await t.test(operation, (t) =>
      verifyAction(t, operation, [admin, member], async () => {
        answer = await by.api.ok(operation, params);
      }),
    );
    return answer;
  };
  await verify('PATCH /drafts/{draft_id}', member, { draft_id, draft: { ...draft, content: 'edited' } });
  await verify('DELETE /drafts/{draft_id}', member, { draft_id });
  await verify('PATCH /users/me/subscriptions/muted_topics', member, { stream_id, topic: 'nothing in it', op: 'add' });
  await verify('PATCH /users/me/subscriptions/{stream_id}', member, { stream_id, property: 'color', value: '#123456' });
  await verify('PATCH /settings/display', member, { twenty_four_hour_time: true });
  await verify('PATCH /settings/notifications', member, { enable_sounds: false });
  const { id: filter_id } = await verify('POST /realm/filters', admin, linkifier);
  await verify('PATCH /realm/filters/{filter_id}', admin, { filter_id, ...linkifier, pattern: '%(?P<id>[0-9]+)' });
  await verify('DELETE /realm/filters/{filter_id}', admin, { filter_id });
  const { id: playground_id } = await verify('POST /realm/playgrounds', admin, playground);
  await verify('DELETE /realm/playgrounds/{playground_id}', admin, { playground_id });
  await verify('POST /users/me/presence', member, { status: 'active' });
  await verify('POST /users/me/status', member, { status_text: 'verified', emoji_name: 'tada' });
  await verify('POST /users/me/hotspots', member, { hotspot: 'intro_streams' });
  await verify('POST /users/me/tutorial_status', member, { status: 'finished' });
  await verify('POST /typing', member, { type: 'stream', op: 'start', to: [stream_id], topic: 'typed' });
};
