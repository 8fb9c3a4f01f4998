import type { StoredMessage } from '#domain/messages';
import type { RealmId } from '#model';
import { dmKey, streamId, streamKey } from '#model';

/** The actor that owns a message now. */
export const ownerOf = (realm: RealmId, { body, participants }: StoredMessage) =>
  body.stream === 0 ? dmKey(realm, participants as never) : streamKey(realm, streamId(body.stream));
