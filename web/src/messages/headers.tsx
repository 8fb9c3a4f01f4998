import { core } from '../client/index.js';
import type { Message } from '../contract/index.js';
import {
  getMessageConversation,
  makeConversationNarrow,
  makeStreamNarrow,
  parseUnseenStreamName,
} from '../core/index.js';
import { getStreamIconName, Icon } from '../kit/index.js';
import { formatDate, formatRelativeDay, t } from '../text/index.js';
import { formatUnseenStreamName, TopicMenuButton, TopicName } from '../topics/index.js';

export function DayLine({ at }: { readonly at: number }) {
  return (
    <div class="day-line">
      <span data-tip={formatDate(at)}>{formatRelativeDay(at)}</span>
    </div>
  );
}

export function UnreadLine() {
  return (
    <div class="unread-line">
      <span>{t('messages.unread-line')}</span>
    </div>
  );
}

/** The conversation of a message and those below it, as links. */
export function RecipientHeader({ message }: { readonly message: Message }) {
  const of = getMessageConversation(message, core.state.me.id);
  const href = core.router.formatHash({ view: 'narrow', narrow: makeConversationNarrow(of) });
  if ('users' in of) {
    const { me, people } = core.state;
    const names = of.users.map((id) => (id === me.id ? t('messages.notes') : people.getFullName(id))).join(', ');
    return (
      <div class="recipient">
        <Icon name={of.users.length > 1 ? 'people' : 'user'} size={16} />
        <a href={href} dir="auto">
          {t('messages.direct-with', { names })}
        </a>
      </div>
    );
  }
  const { streams } = core.state;
  const stream = streams.byId.value.get(of.stream);
  return (
    <div class="recipient" style={{ '--stream': stream?.color || 'var(--edge)' }}>
      <span class="recipient-stream">
        <Icon name={getStreamIconName(streams.getPrivacy(of.stream))} size={16} />
        <a href={core.router.formatHash({ view: 'narrow', narrow: makeStreamNarrow(of.stream) })} dir="auto">
          {stream?.name ?? formatUnseenStreamName(parseUnseenStreamName(String(message.display_recipient)))}
        </a>
      </span>
      <span aria-hidden="true">›</span>
      <a href={href} class="recipient-topic" dir="auto">
        <TopicName topic={of.topic} />
      </a>
      <TopicMenuButton {...of} />
    </div>
  );
}
