import { useSignal } from '@preact/signals';
import { core } from '../client/index.js';
import type { Message } from '../contract/index.js';
import { getMessageConversation, type MessageWindow, makeConversationNarrow, type UserStatus } from '../core/index.js';
import { Avatar, Icon, makeLazyComponent } from '../kit/index.js';
import { formatTimeOfDay, t } from '../text/index.js';
import { isCollapsed, isSenderMuted, toggleCollapsed } from './actions.js';
import { makeLaterChunkComponentLoader, withLaterChunk } from './chunk.js';
import { AwaitedPart, areTextHeightsFinal, MessageContent } from './content/index.js';
import { DayLine, RecipientHeader, UnreadLine } from './headers.js';
import { EmojiGlyph, MessageReactions } from './reactions.js';
import type { MessageRow } from './rows.js';
import { MessageToolbar } from './toolbar.js';

const LazyEditBox = makeLazyComponent(makeLaterChunkComponentLoader('EditBox'));
const LazyWidget = makeLazyComponent(makeLaterChunkComponentLoader('Widget'));
const widgetChunk = new AwaitedPart((settle) => void LazyWidget.preload().then(settle, settle));

const isWidget = ({ submessages }: Message): boolean => submessages.length > 0;

/**
 * Whether the messages have their final height. A poll that comes late moves the texts above it by an eighth of the
 * screen of a phone, so a list with a widget waits for the code of widgets. Reads signals.
 */
export function areHeightsFinal(messages: readonly Message[]): boolean {
  const areWidgetsFinal = widgetChunk.isSettledIf(() => messages.some(isWidget));
  return areTextHeightsFinal(messages.map(({ content }) => content)) && areWidgetsFinal;
}

interface MessageItemProps {
  readonly row: MessageRow;
  readonly index: number;
  readonly window: MessageWindow;
  readonly measure: (element: HTMLElement | null) => void;
}

/** A row of the list: a message and the lines above it. */
export function MessageItem({ row, index, window, measure }: MessageItemProps) {
  const wasReached = useSignal(false);
  const message = core.windows.messageStore.getSignal(row.id)?.value;
  if (!message) return null;
  const selected = core.sharedViewState.selectedMessageId.value === row.id;
  const unread = !message.flags.includes('read');
  const mentioned = message.flags.includes('mentioned') || message.flags.includes('wildcard_mentioned');
  const reach = () => {
    wasReached.value = true;
  };
  return (
    <article
      ref={measure}
      class={`message-row ${selected ? 'selected' : ''} ${unread ? 'unread' : ''} ${mentioned ? 'mentioned' : ''}`}
      data-index={index}
      data-row={row.id}
      aria-labelledby={`sender-${row.id}`}
      aria-posinset={index + 1}
      aria-setsize={-1}
      aria-current={selected ? 'true' : undefined}
      tabIndex={-1}
      onPointerEnter={reach}
      onFocusIn={reach}
    >
      {row.startsDay && <DayLine at={message.timestamp * 1000} />}
      {row.isFirstUnread && <UnreadLine />}
      {row.newConversation && <RecipientHeader message={message} />}
      <div class={`message ${row.showsSender ? 'lead' : ''} ${message.is_me_message ? 'me' : ''}`}>
        <AvatarOrTime message={message} lead={row.showsSender} />
        <div class="message-main">
          <MessageHead message={message} lead={row.showsSender} />
          <MessageBody message={message} window={window} />
        </div>
        <MessageToolbar message={message} window={window} isSelected={selected} wasReached={wasReached} />
      </div>
    </article>
  );
}

/** The picture of the sender, or the time beside a message that follows another. */
function AvatarOrTime({ message, lead }: { readonly message: Message; readonly lead: boolean }) {
  const person = core.state.people.byId.value.get(message.sender_id);
  if (!lead) return <MessageTime message={message} />;
  return (
    <button
      type="button"
      class="message-avatar"
      data-person={message.sender_id}
      tabIndex={-1}
      aria-hidden="true"
      onClick={(event) => void openSenderMenu(event.currentTarget, message)}
    >
      <Avatar
        name={person?.full_name ?? message.sender_full_name}
        src={person?.avatar_url ?? message.avatar_url}
        id={message.sender_id}
        size={36}
      />
    </button>
  );
}

const openSenderMenu = (anchor: HTMLElement, message: Message): Promise<void> =>
  withLaterChunk(({ openPersonMenu }) => openPersonMenu(anchor, message.sender_id));

/** The time of sending, as a link to the message. */
function MessageTime({ message }: { readonly message: Message }) {
  const at = message.timestamp * 1000;
  const narrow = makeConversationNarrow(getMessageConversation(message, core.state.me.id));
  return (
    <a
      class="message-time"
      href={core.router.formatHash({ view: 'narrow', narrow, near: message.id })}
      data-at={at}
      tabIndex={-1}
    >
      {formatTimeOfDay(at)}
    </a>
  );
}

function MessageHead({ message, lead }: { readonly message: Message; readonly lead: boolean }) {
  const { people } = core.state;
  const person = people.byId.value.get(message.sender_id);
  const name = person?.full_name ?? message.sender_full_name;
  const sender = (
    <span id={`sender-${message.id}`} class={lead ? '' : 'hidden'} dir="auto">
      {name}
    </span>
  );
  if (!lead) return sender;
  return (
    <div class="message-head">
      <button
        type="button"
        class="message-sender"
        onClick={(event) => void openSenderMenu(event.currentTarget, message)}
      >
        {sender}
      </button>
      {person?.is_bot && (
        <span class="message-bot" data-tip={t('messages.bot')}>
          <Icon name="bot" size={15} />
          <span class="hidden">{t('messages.bot')}</span>
        </span>
      )}
      <SenderStatus status={people.statusByUserId.value.get(message.sender_id)} />
      <MessageTime message={message} />
    </div>
  );
}

/** The emoji of the sender's status, or a sign that there is a status without one; the tooltip has its text. */
function SenderStatus({ status }: { readonly status: UserStatus | undefined }) {
  const { status_text, emoji_name = '', emoji_code = '', reaction_type } = status ?? {};
  const text = status_text || (emoji_name && `:${emoji_name}:`);
  if (!text) return null;
  return (
    <span class="message-status" data-tip={text}>
      {reaction_type === undefined ? (
        <Icon name="direct" size={15} />
      ) : (
        <EmojiGlyph of={{ emoji_name, emoji_code, reaction_type }} />
      )}
      <span class="hidden">{text}</span>
    </span>
  );
}

/** Text, edit box or widget of a message. `place.ts` keeps the element with `data-message` at its place on screen. */
function MessageBody({ message, window }: { readonly message: Message; readonly window: MessageWindow }) {
  const editing = core.sharedViewState.editedMessageId.value === message.id;
  let body = <MessageContent html={window.getShownHtml(message)} isMeMessage={message.is_me_message} />;
  if (editing) body = <LazyEditBox message={message} window={window} />;
  else if (isWidget(message)) body = <LazyWidget message={message} />;
  else if (isCollapsed(message)) body = <CollapsedMessage message={message} />;
  return (
    <div class="message-body" data-message={message.id}>
      {body}
      {!editing && <StarAndEditMarks message={message} />}
      <MessageReactions message={message} />
    </div>
  );
}

function CollapsedMessage({ message }: { readonly message: Message }) {
  return (
    <button type="button" class="message-collapsed" onClick={() => toggleCollapsed(message)}>
      {t(isSenderMuted(message) ? 'messages.muted-sender' : 'messages.collapsed')}
    </button>
  );
}

/** Star, and the mark of an edited or moved message, which opens its history. */
function StarAndEditMarks({ message }: { readonly message: Message }) {
  const { last_edit_timestamp: at, edit_history = [] } = message;
  const starred = message.flags.includes('starred');
  const edited = edit_history.some(({ prev_content }) => prev_content !== undefined);
  if (at === undefined && !starred) return null;
  return (
    <span class="message-marks">
      {starred && (
        <span class="message-star" role="img" aria-label={t('messages.starred')}>
          <Icon name="star" size={14} />
        </span>
      )}
      {at !== undefined && (
        <button
          type="button"
          class="message-edited"
          data-at={at * 1000}
          onClick={() => void withLaterChunk(({ openHistory }) => openHistory(message))}
        >
          {t(edited || edit_history.length === 0 ? 'messages.edited' : 'messages.moved')}
        </button>
      )}
    </span>
  );
}
