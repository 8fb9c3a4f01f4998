import { core } from '../../client/index.js';
import type { Message } from '../../contract/index.js';
import { isTopicResolved, type MessageWindow, makeDirectNarrow, TOPIC_VISIBILITY_POLICY } from '../../core/index.js';
import { awaitOrToastError, showFailureToast } from '../../failures/index.js';
import { closeMenusAndDialogs, type MenuItem, type PopoverAnchor, showToast, toggleMenu } from '../../kit/index.js';
import { confirmDeletion, LATER_ICONS } from '../../kit-later/index.js';
import { t } from '../../text/index.js';
import { subscriptionFlags, topicPolicies } from '../../toggles/index.js';
import {
  copyTextWithToast,
  mayChangeTopics,
  mayMoveMessages,
  openMoveDialog,
  toggleTopicResolved,
} from '../../topics-later/index.js';
import {
  fetchMessageMarkdown,
  isCollapsed,
  makeMessageUrl,
  mayEditContent,
  openDirectReplyToSender,
  openForwardCompose,
  openReply,
  openReplyWithQuote,
  requestReactionEmoji,
  toggleCollapsed,
  toggleStar,
} from '../actions.js';
import { setFirstKeptUnread } from '../seen.js';
import { openMessageSource } from './edit.js';
import { openHistory, openReadReceipts } from './history.js';

async function confirmAndDelete(message: Message): Promise<void> {
  if (!(await confirmDeletion(t('message.delete-title'), t('message.delete-text')))) return;
  await awaitOrToastError(core.api.delete('/messages/{message_id}', { message_id: message.id }));
}

/** Marks this message and all below it as unread. They stay unread until the view is opened again. */
export async function markUnreadFrom(message: Message, window: MessageWindow): Promise<void> {
  setFirstKeptUnread(window, message.id);
  try {
    await core.readMarker.markUnreadFrom(message.id, window.narrow);
  } catch (error) {
    setFirstKeptUnread(window, undefined);
    showFailureToast(error);
  }
}

const isStreamShownMuted = (stream: number): boolean => subscriptionFlags.shown({ stream, property: 'is_muted' });

function isShownMuted(stream: number, topic: string): boolean {
  const policy = topicPolicies.shown({ stream, topic });
  return (
    policy === TOPIC_VISIBILITY_POLICY.muted ||
    (policy === TOPIC_VISIBILITY_POLICY.inherit && isStreamShownMuted(stream))
  );
}

/** Mutes the topic of the message, or unmutes it if the topic or its stream is muted. */
export async function toggleTopicMute({ stream_id, subject: topic }: Message): Promise<void> {
  if (stream_id === undefined) return;
  const subject = { stream: stream_id, topic };
  const muted = isShownMuted(stream_id, topic);
  const unmuted = isStreamShownMuted(stream_id) ? TOPIC_VISIBILITY_POLICY.unmuted : TOPIC_VISIBILITY_POLICY.inherit;
  const wanted = muted ? unmuted : TOPIC_VISIBILITY_POLICY.muted;
  await awaitOrToastError(topicPolicies.press(subject, wanted), () => {
    // After a later press, only the result of that one is shown.
    if (topicPolicies.shown(subject) === wanted)
      showToast({ text: t(muted ? 'message.topic-unmuted' : 'message.topic-muted', { topic }) });
  });
}

function mayDeleteMessage(message: Message): boolean {
  const { me, realm } = core.state;
  if (me.isAdmin) return true;
  if (message.sender_id !== me.id || !me.isAllowedByPolicyNamed('delete_own_message_policy')) return false;
  const limit = realm.value.realm_message_content_delete_limit_seconds;
  return !limit || core.platform.now() / 1000 - message.timestamp < limit;
}

const copyMessageMarkdown = (message: Message): Promise<unknown> =>
  awaitOrToastError(fetchMessageMarkdown(message), copyTextWithToast);

function makeMessageMenuItems(message: Message, window: MessageWindow, anchor: Element): readonly MenuItem[] {
  const { me, realm } = core.state;
  const member = me.id !== 0;
  const { stream_id: stream, subject: topic } = message;
  const inStream = stream !== undefined;
  const starred = message.flags.includes('starred');
  const editable = mayEditContent(message);
  return [
    member && {
      label: t('messages.react'),
      icon: 'smile',
      shortcut: 'react',
      run: () => requestReactionEmoji(message, anchor),
    },
    member && { label: t('messages.reply'), icon: 'reply', shortcut: 'reply', run: () => openReply(message) },
    member && {
      label: t('message.quote'),
      icon: LATER_ICONS.quote,
      shortcut: 'quote',
      run: () => void openReplyWithQuote(message),
    },
    member && {
      label: t('message.forward'),
      icon: 'send',
      shortcut: 'forward',
      run: () => void openForwardCompose(message),
    },
    member && {
      label: t('message.reply-sender'),
      icon: 'direct',
      shortcut: 'reply-sender',
      run: () => openDirectReplyToSender(message),
    },
    member && 'line',
    member && editable
      ? {
          label: t('common.edit'),
          icon: 'edit',
          shortcut: 'edit',
          run: () => {
            core.sharedViewState.editedMessageId.value = message.id;
          },
        }
      : { label: t('message.source'), icon: 'code', run: () => void openMessageSource(message) },
    member && {
      label: t(starred ? 'messages.unstar' : 'messages.star'),
      icon: 'star',
      shortcut: 'star',
      run: () => void toggleStar(message),
    },
    member && {
      label: t('message.mark-unread'),
      icon: 'inbox',
      shortcut: 'unread',
      run: () => void markUnreadFrom(message, window),
    },
    {
      label: t(isCollapsed(message) ? 'message.expand' : 'message.collapse'),
      icon: LATER_ICONS.eyeOff,
      shortcut: 'collapse',
      run: () => toggleCollapsed(message),
    },
    'line',
    member &&
      inStream &&
      mayMoveMessages() && {
        label: t('topics.move'),
        icon: 'move',
        shortcut: 'move',
        run: () => openMoveDialog(message),
      },
    member &&
      inStream &&
      mayChangeTopics() && {
        label: t(isTopicResolved(topic) ? 'topics.reopen' : 'topics.resolve'),
        icon: 'resolved',
        run: () => void toggleTopicResolved(message),
      },
    member &&
      inStream && {
        label: t(isShownMuted(stream, topic) ? 'message.unmute-topic' : 'message.mute-topic'),
        icon: LATER_ICONS.mute,
        shortcut: 'mute-topic',
        run: () => void toggleTopicMute(message),
      },
    'line',
    {
      label: t('message.copy-link'),
      icon: LATER_ICONS.link,
      run: () => void copyTextWithToast(makeMessageUrl(message)),
    },
    { label: t('message.copy-text'), icon: LATER_ICONS.copy, run: () => void copyMessageMarkdown(message) },
    member &&
      realm.value.realm_enable_read_receipts === true && {
        label: t('message.receipts'),
        icon: LATER_ICONS.eye,
        shortcut: 'receipts',
        run: () => void openReadReceipts(message),
      },
    member &&
      message.last_edit_timestamp !== undefined && {
        label: t('message.history'),
        icon: LATER_ICONS.history,
        shortcut: 'history',
        run: () => void openHistory(message),
      },
    member && mayDeleteMessage(message) && 'line',
    member &&
      mayDeleteMessage(message) && {
        label: t('common.delete'),
        icon: LATER_ICONS.trash,
        danger: true,
        run: () => void confirmAndDelete(message),
      },
  ];
}

/** Message whose menu was opened last. */
let menuMessageId = 0;

// Each action of the menu would be refused.
core.listenToEvents('delete_message', ({ message_ids, message_id }) => {
  const isGone = (message_ids ?? [message_id]).includes(menuMessageId);
  if (isGone && document.querySelector('[role=menu]')) closeMenusAndDialogs();
});

export function openMessageMenu(message: Message, window: MessageWindow, anchor: Element): void {
  menuMessageId = message.id;
  toggleMenu(anchor, {
    label: t('messages.actions'),
    items: makeMessageMenuItems(message, window, anchor),
    align: 'end',
  });
}

/** Opens the menu of a sender, or of a person whose mention was pressed. */
export function openPersonMenu(anchor: PopoverAnchor, id: number): void {
  const name = core.state.people.getFullName(id);
  toggleMenu(anchor, {
    label: name,
    items: [
      {
        label: t('message.direct-to', { name }),
        icon: 'direct',
        run: () => core.router.navigate({ view: 'narrow', narrow: makeDirectNarrow([id]) }),
      },
      {
        label: t('message.sent-by', { name }),
        icon: 'search',
        run: () => core.router.navigate({ view: 'narrow', narrow: [{ operator: 'sender', operand: id }] }),
      },
      {
        label: t('message.profile'),
        icon: 'user',
        shortcut: 'profile',
        run: () => {
          core.sharedViewState.shownProfileUserId.value = id;
        },
      },
      {
        label: t('message.copy-mention'),
        icon: LATER_ICONS.copy,
        run: () => void copyTextWithToast(`@**${name}|${id}**`),
      },
    ],
  });
}
