import { core } from '../client/index.js';
import { type Conversation, makeConversationNarrow } from '../core/index.js';
import { Avatar, getStreamIconName, Icon } from '../kit/index.js';
import { t } from '../text/index.js';
import { TopicName } from '../topics/index.js';

/** Address of a conversation. */
export const formatConversationHash = (of: Conversation): string =>
  core.router.formatHash({ view: 'narrow', narrow: makeConversationNarrow(of) });

/** Name of a conversation as plain text. */
export function formatConversationName(of: Conversation): string {
  const { people, streams } = core.state;
  if ('users' in of) return of.users.map((id) => people.getFullName(id)).join(', ');
  return `#${streams.getStreamName(of.stream)} › ${of.topic}`;
}

/** Icon and name of a stream, in the stream's colour. */
export function StreamNameWithIcon({ id }: { readonly id: number }) {
  const { streams } = core.state;
  return (
    <span class="place-stream" style={{ '--stream': streams.byId.value.get(id)?.color || 'currentColor' }}>
      <Icon name={getStreamIconName(streams.getPrivacy(id))} />
      <span data-cut="" dir="auto">
        {streams.getStreamName(id)}
      </span>
    </span>
  );
}

function TopicLabel({ topic }: { readonly topic: string }) {
  return (
    <span class="place-topic">
      <TopicName topic={topic} />
    </span>
  );
}

/** Picture and names of the others in direct messages. */
export function DirectUsersLabel({ users }: { readonly users: readonly number[] }) {
  const { people, me } = core.state;
  const [first] = users;
  const person = first === undefined ? undefined : people.byId.value.get(first);
  const presence =
    users.length === 1 && first !== undefined && !person?.is_bot ? people.getPresenceLevel(first) : undefined;
  return (
    <span class="place-topic">
      <Avatar name={person?.full_name ?? ''} src={person?.avatar_url} id={first ?? 0} size={24} presence={presence} />
      <span data-cut="" dir="auto">
        {users.map((id) => people.getFullName(id)).join(', ')}
      </span>
      {first === me.id && <span class="place-soft">{t('sidebar.you')}</span>}
      {users.length === 1 && person?.is_active === false && <span class="place-soft">{t('presence.deactivated')}</span>}
    </span>
  );
}

/** Label of a conversation: topic, with the stream if asked for, or people. */
export function ConversationLabel({
  of,
  withStream = true,
}: {
  readonly of: Conversation;
  readonly withStream?: boolean;
}) {
  if ('users' in of) return <DirectUsersLabel users={of.users} />;
  if (!withStream) return <TopicLabel topic={of.topic} />;
  return (
    <span class="place">
      <StreamNameWithIcon id={of.stream} />
      <span class="place-soft" aria-hidden="true">
        ›
      </span>
      <TopicLabel topic={of.topic} />
    </span>
  );
}
