import { useComputed } from '@preact/signals';
import { useEffect, useState } from 'preact/hooks';
import { core } from '../client/index.js';
import { findNotifyingMentions } from '../completion/index.js';
import { type Conversation, makeConversationKey, type OutboxItem, type Person } from '../core/index.js';
import { showFailureToast } from '../failures/index.js';
import { Button, Icon, IconButton } from '../kit/index.js';
import { LATER_ICONS } from '../kit-later/index.js';
import { formatByteSize, t, translateRefusal } from '../text/index.js';
import type { Composer } from './composer.js';
import { dropCachedSubscribers, getCachedOrFetchSubscriberIds } from './subscribers.js';
import { listUploadsInBox, removeUploadFromList } from './uploads.js';

/** Mentions are checked this long after the last change. */
const MENTION_CHECK_DELAY_MS = 400;

/** Files on their way into the text, with progress. */
function UploadNotices({ composer }: { readonly composer: Composer }) {
  const uploads = listUploadsInBox(composer);
  if (uploads.length === 0) return null;
  return (
    <ul class="compose-uploads" aria-label={t('compose.uploads')}>
      {uploads.map(({ id, name, size, sentBytes, error, cancel }) => (
        <li key={id} class="compose-notice">
          <Icon name={error ? 'warning' : LATER_ICONS.attach} size={16} />
          <span class="upload-name" data-cut="">
            {name}
          </span>
          {error ? (
            <span class="upload-error" role="alert">
              {error}
            </span>
          ) : (
            <>
              <progress max={Math.max(size, 1)} value={sentBytes} aria-label={name} />
              <span class="upload-size">{formatByteSize(size)}</span>
            </>
          )}
          <IconButton
            icon="close"
            size={14}
            label={t(error ? 'common.close' : 'compose.upload-cancel', { name })}
            onClick={() => (error ? removeUploadFromList(composer, id) : cancel())}
          />
        </li>
      ))}
    </ul>
  );
}

/** People who are mentioned in the text and not subscribed to its stream. */
function useMentionedNonSubscribersAndRecheck(composer: Composer): [readonly Person[], () => void] {
  const [outsiders, setOutsiders] = useState<readonly Person[]>([]);
  const [turn, setTurn] = useState(0);
  const to = composer.targetConversation.value;
  const stream = to && 'stream' in to ? to.stream : undefined;
  const mentions = useComputed(() => JSON.stringify(findNotifyingMentions(composer.text.value))).value;
  useEffect(() => {
    let current = true;
    const timer = setTimeout(async () => {
      const mentioned = stream === undefined ? [] : findMentionedHumans(composer.text.peek());
      if (mentioned.length === 0 || stream === undefined) return setOutsiders([]);
      const inside = new Set(await getCachedOrFetchSubscriberIds(stream));
      if (current && inside.size > 0) setOutsiders(mentioned.filter(({ user_id }) => !inside.has(user_id)));
    }, MENTION_CHECK_DELAY_MS);
    return () => {
      current = false;
      clearTimeout(timer);
    };
  }, [mentions, stream, turn]);
  return [outsiders, () => setTurn(turn + 1)];
}

function findMentionedHumans(text: string): Person[] {
  const { byId, activeUsersAndBots } = core.state.people;
  const found = findNotifyingMentions(text).map(({ name, id }) =>
    id === undefined ? activeUsersAndBots.peek().find(({ full_name }) => full_name === name) : byId.peek().get(id),
  );
  return [...new Set(found)].filter((person) => person !== undefined && !person.is_bot) as Person[];
}

/** Warns that a mentioned person is not subscribed, with a button that subscribes them. */
function NonSubscriberNotices({ composer }: { readonly composer: Composer }) {
  const [outsiders, again] = useMentionedNonSubscribersAndRecheck(composer);
  const to = composer.targetConversation.value;
  if (outsiders.length === 0 || !to || 'users' in to) return null;
  const stream = core.state.streams.getStreamName(to.stream);
  const maySubscribe = core.state.me.isAllowedByPolicyNamed('invite_to_stream_policy');
  const subscribe = async (person: Person) => {
    try {
      await core.api.post('/users/me/subscriptions', {
        subscriptions: [{ name: stream }],
        principals: [person.user_id],
      });
      dropCachedSubscribers(to.stream);
      again();
    } catch (error) {
      showFailureToast(error);
    }
  };
  return (
    <>
      {outsiders.slice(0, 3).map((person) => (
        <p key={person.user_id} class="compose-notice warning" role="status">
          <Icon name="warning" size={16} />
          <span>{t('compose.not-subscribed', { name: person.full_name, stream })}</span>
          {maySubscribe && <Button onClick={() => void subscribe(person)}>{t('compose.subscribe')}</Button>}
        </p>
      ))}
    </>
  );
}

/**
 * Messages that failed in conversations that are not on screen. Those of the conversation on screen are in its list.
 */
function FailedMessageNotices({ composer }: { readonly composer: Composer }) {
  const viewed = composer.viewedConversation.value;
  const isElsewhere = ({ phase, to }: OutboxItem): boolean =>
    phase === 'failed' && (!viewed || makeConversationKey(viewed) !== makeConversationKey(to));
  const failed = core.outbox.itemsOfThisTab.value.filter(isElsewhere);
  return (
    <>
      {failed.map(({ localId, to, error }) => (
        <p key={localId} class="compose-notice error" role="alert">
          <Icon name="warning" size={16} />
          <span>
            {t('compose.failed', { place: formatConversationName(to), error: translateRefusal(error ?? '') })}
          </span>
          <Button onClick={() => core.outbox.retryItem(localId)}>{t('common.retry')}</Button>
          <Button
            onClick={() => {
              const item = core.outbox.removeItemForEditing(localId);
              if (item) composer.handleComposeRequest({ conversation: item.to, insertedText: item.content });
            }}
          >
            {t('common.edit')}
          </Button>
        </p>
      ))}
    </>
  );
}

/** Name of a conversation for use in a sentence. */
export function formatConversationName(to: Conversation): string {
  const { people, streams } = core.state;
  return 'users' in to
    ? to.users.map((id) => people.getFullName(id)).join(', ')
    : `#${streams.getStreamName(to.stream)} › ${to.topic}`;
}

/** Notices about the text, above it. */
export function ComposeNotices({ composer, errorId }: { readonly composer: Composer; readonly errorId: string }) {
  const error = composer.error.value;
  return (
    <>
      <FailedMessageNotices composer={composer} />
      <NonSubscriberNotices composer={composer} />
      <UploadNotices composer={composer} />
      {error && (
        <p class="compose-notice error" role="alert" id={errorId}>
          <Icon name="warning" size={16} />
          <span>{error}</span>
        </p>
      )}
    </>
  );
}
