/** POST and DELETE /default_streams (streams.md). */

import { readMembership, success } from '#actors/shared';
import { isAdmin } from '#domain/people';
import { canAccess, canSeeMetadata } from '#domain/streams';
import type { Membership, realmCommands } from '#model/commands';
import { apiError } from '#model/errors';
import { asPart, STREAM_PART, streamOf, userOf } from '../../state.js';
import { tellReplicas } from '../../tell-replicas.js';
import type { RealmCommand } from '../command.js';
import { defaultStreamsChanged } from './stream-events.js';

export const setDefaultStream: RealmCommand<typeof realmCommands.setDefaultStream, Membership | undefined> = {
  lane: 'directory',
  exclusive: true,

  inputs: async ({ stream_id }, { realm, view }, sources) =>
    streamOf(view.parts, stream_id) && readMembership(realm, stream_id, sources),

  handle({ parts }, { stream_id, isDefault }, membership, { caller, version }) {
    const acting = userOf(parts, caller);
    const stream = streamOf(parts, stream_id);
    if (!acting || !isAdmin(acting)) throw apiError('ADMIN_REQUIRED');
    const subscribed = membership?.members.includes(caller) ?? false;
    const mayKnow = isDefault ? canAccess : canSeeMetadata;
    if (!stream || !mayKnow(acting, stream, subscribed)) throw apiError('INVALID_STREAM_ID');
    if (isDefault && stream.inviteOnly) throw apiError('DEFAULT_STREAM_PRIVATE_ADD');
    // Adding one that is there already: nothing; removing one that is not: the list goes out all the same.
    if (isDefault && stream.isDefault) return { reply: success() };
    const after = { ...stream, isDefault };
    const changed = defaultStreamsChanged(parts, after, version);
    if (stream.isDefault === isDefault) return { reply: success(), events: [changed] };
    return {
      reply: success({}, version),
      parts: { [`${STREAM_PART}${stream_id}`]: asPart(after) },
      events: [tellReplicas({ stream: after }), changed],
    };
  },
};
