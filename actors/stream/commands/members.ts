/** Who is subscribed: read, join, leave. */
import type { Json, JsonObject } from '../../../src/core/index.js';
import { parseKey, streamId } from '../../../src/core/index.js';
import { ROLE } from '../../../src/people/index.js';
import type { LogItem } from '../../../src/runtime/index.js';
import { asMember, isMember, MEMBER_PART, type Member } from '../../../src/streams/index.js';
import { value } from '../../shared/replies.js';
import type { StreamCommand } from '../command.js';

export const memberIds = (parts: ReadonlyMap<string, Json>): number[] => {
  const ids: number[] = [];
  for (const [name, member] of parts) {
    if (name.startsWith(MEMBER_PART) && isMember(asMember(member))) ids.push(Number(name.slice(MEMBER_PART.length)));
  }
  return ids.sort((a, b) => a - b);
};

/** Subscribers with the version they are of, for coordinators and snapshots. */
export const members: StreamCommand<JsonObject> = {
  lane: 'members',
  read: true,
  creates: true,
  handle: ({ parts, state }, _args, _inputs, { version }) => ({
    reply: value({ members: memberIds(parts), version, last: state.last }),
  }),
};

/** Decided by the realm actor: never refuses, and a repeat changes nothing. */
export const join: StreamCommand<{ readonly users: readonly number[] }> = {
  creates: true,
  handle({ state, parts }, { users }, _inputs, { key, directory }) {
    const joining = users.filter((user) => !isMember(asMember(parts.get(`${MEMBER_PART}${user}`))));
    if (joining.length === 0) return { reply: value(null) };
    const mv = state.mv + 1;
    const stream = directory.stream(streamId(Number(parseKey(key).rest)));
    const changed: Record<string, Json> = {};
    for (const user of joining) {
      const before = asMember(parts.get(`${MEMBER_PART}${user}`));
      const stay = { from: mv, to: 0, after: state.last, until: 0 };
      changed[`${MEMBER_PART}${user}`] = {
        stays: [...(before?.stays ?? []), stay],
      } satisfies Member as unknown as Json;
    }
    const id = Number(parseKey(key).rest);
    const items: LogItem[] = [{ t: 'members', stream: id, mv, join: joining, leave: [] }];
    const event = { type: 'subscription', op: 'peer_add', stream_ids: [id], user_ids: joining };
    // Who may see subscribers: members of the stream, and everybody but guests (public) or admins (private).
    items.push({
      t: 'event',
      to: {
        stream: id,
        mv,
        role: stream?.inviteOnly ? ROLE.admin : ROLE.member,
        rv: directory.version,
        except: joining,
      },
      event,
    });
    return { reply: value(null), state: { ...state, mv }, parts: changed, events: items };
  },
};
