import { useMemo } from 'preact/hooks';
import { core } from '../client/index.js';
import { findExactNarrowConversation, type Narrow, type OutboxItem } from '../core/index.js';
import { Avatar, Button, Icon } from '../kit/index.js';
import { formatNameList, t, translateRefusal } from '../text/index.js';

/** Names that the line of typing shows. */
const MAX_NAMED_TYPING_USERS = 3;

/** Messages that are being sent, below the newest one. */
export function PendingMessages({ narrow }: { readonly narrow: Narrow }) {
  const items = useMemo(() => core.outbox.makeItemsSignalForNarrow(narrow), [narrow]);
  return (
    <>
      {items.value.map((item) => (
        <PendingMessage key={item.localId} item={item} />
      ))}
    </>
  );
}

function PendingMessage({ item }: { readonly item: OutboxItem }) {
  const person = core.state.me.ownPerson.value;
  const failed = item.phase === 'failed';
  const edit = () => {
    const back = core.outbox.removeItemForEditing(item.localId);
    if (back) core.sharedViewState.composeRequest.value = { conversation: back.to, insertedText: back.content };
  };
  return (
    <article class={`message-row pending ${item.phase}`} aria-label={t(`messages.${item.phase}`)}>
      <div class="message lead">
        <Avatar name={person?.full_name ?? ''} src={person?.avatar_url} id={person?.user_id ?? 0} size={36} />
        <div class="message-main">
          <div class="message-head">
            <span class="message-sender">{person?.full_name}</span>
            <span class="pending-phase" role="status">
              {item.phase !== 'sending' && <Icon name={failed ? 'warning' : 'offline'} size={14} />}
              {t(`messages.${item.phase}`)}
            </span>
          </div>
          <div class="content pending-text" dir="auto">
            {item.content}
          </div>
          {failed && (
            <div class="pending-failure" role="alert">
              <span>{item.error && translateRefusal(item.error)}</span>
              <Button kind="primary" onClick={() => core.outbox.retryItem(item.localId)}>
                {t('common.retry')}
              </Button>
              <Button onClick={edit}>{t('common.edit')}</Button>
              <Button kind="quiet" onClick={() => core.outbox.discardItem(item.localId)}>
                {t('messages.discard')}
              </Button>
            </div>
          )}
        </div>
      </div>
    </article>
  );
}

/** Names of those who are typing here. The line keeps its height without names, so that nothing moves. */
export function TypingLine({ narrow }: { readonly narrow: Narrow }) {
  const conversation = findExactNarrowConversation(narrow);
  const users = useMemo(() => conversation && core.state.typing.makeTypingUserIdsSignal(conversation), [narrow]);
  const ids = users?.value ?? [];
  let text = '';
  if (ids.length > MAX_NAMED_TYPING_USERS) text = t('messages.typing-many', { n: ids.length });
  else if (ids.length > 0) {
    const names = formatNameList(ids.map((id) => core.state.people.getFullName(id)));
    text = t(ids.length === 1 ? 'messages.typing-one' : 'messages.typing-some', { names });
  }
  return (
    <div class="typing" aria-live="polite">
      {text}
    </div>
  );
}
