import type { ReadonlySignal } from '@preact/signals';
import { useRef } from 'preact/hooks';
import { core } from '../client/index.js';
import type { Message } from '../contract/index.js';
import type { MessageWindow } from '../core/index.js';
import { IconButton } from '../kit/index.js';
import { t } from '../text/index.js';
import { mayEditContent, openMessageActionsMenu, openReply, requestReactionEmoji, toggleStar } from './actions.js';

interface MessageToolbarProps {
  readonly message: Message;
  readonly window: MessageWindow;
  readonly isSelected: boolean;
  /** The pointer or the focus has been in the row. */
  readonly wasReached: ReadonlySignal<boolean>;
}

/**
 * The usual actions, shown on hover, on focus and for the selected message. Tab skips them: each one has a key. The
 * buttons are made when the row is first reached, since they are half of its elements.
 */
export function MessageToolbar({ message, window, isSelected, wasReached }: MessageToolbarProps) {
  const hasButtons = useRef(false);
  hasButtons.current ||= isSelected || wasReached.value;
  return (
    <div class="message-tools" role="toolbar" aria-label={t('messages.actions')}>
      {hasButtons.current && <ToolbarButtons message={message} window={window} />}
    </div>
  );
}

function ToolbarButtons({ message, window }: Pick<MessageToolbarProps, 'message' | 'window'>) {
  const visitor = core.state.me.id === 0;
  const starred = message.flags.includes('starred');
  return (
    <>
      {!visitor && (
        <>
          <IconButton
            icon="smile"
            label={t('messages.react')}
            shortcut="react"
            tabIndex={-1}
            onClick={(event) => requestReactionEmoji(message, event.currentTarget)}
          />
          <IconButton
            icon="reply"
            label={t('messages.reply')}
            shortcut="reply"
            tabIndex={-1}
            onClick={() => openReply(message)}
          />
          {mayEditContent(message) && (
            <IconButton
              icon="edit"
              label={t('common.edit')}
              shortcut="edit"
              tabIndex={-1}
              onClick={() => {
                core.sharedViewState.editedMessageId.value = message.id;
              }}
            />
          )}
          <IconButton
            icon="star"
            label={t(starred ? 'messages.unstar' : 'messages.star')}
            shortcut="star"
            pressed={starred}
            tabIndex={-1}
            onClick={() => void toggleStar(message)}
          />
        </>
      )}
      <IconButton
        icon="more"
        label={t('messages.actions')}
        shortcut="message-menu"
        popup="menu"
        tabIndex={-1}
        onClick={(event) => void openMessageActionsMenu(message, window, event.currentTarget)}
      />
    </>
  );
}
