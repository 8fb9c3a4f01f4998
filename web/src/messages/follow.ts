import { useEffect } from 'preact/hooks';
import { core } from '../client/index.js';
import type { Message } from '../contract/index.js';
import {
  ApiFailure,
  findExactNarrowConversation,
  findPositiveOperand,
  type MessageWindow,
  makeNarrowKey,
  makeStreamNarrow,
  makeTopicNarrow,
  type Narrow,
} from '../core/index.js';
import { showToast } from '../kit/index.js';
import { listenForTopicMoves, provideReaderMessageId } from '../moves/index.js';
import { t } from '../text/index.js';

/** Scroll position of a list of messages. */
export interface ListPlace {
  /** The first message on screen. */
  readonly id: number | undefined;
  /** Distance of its text from the top of the list. */
  readonly topPx: number;
  readonly isAtEnd: boolean;
  /** The newest message on screen at the end of the list, else the first one. */
  readonly readerMessageId: number | undefined;
}

/** Scroll position in a topic that was moved while it was on screen. The view of the new topic takes it. */
let placeBeforeMove: { readonly key: string; readonly place: ListPlace } | undefined;

/** @returns the scroll position from before the topic was moved to this narrow */
export function takePlaceFromBeforeMove(narrow: Narrow): ListPlace | undefined {
  const before = placeBeforeMove;
  placeBeforeMove = undefined;
  return before?.key === makeNarrowKey(narrow) ? before.place : undefined;
}

const formatTopicPlace = (stream: number, topic: string) => ({
  stream: core.state.streams.getStreamName(stream),
  topic,
});

/**
 * Follows messages on screen that are moved to another topic. If the whole topic was moved, its new address replaces
 * the old one in the history. If the reader's place was not moved, a toast links to the messages that were.
 */
export function useMovedTopic(narrow: Narrow, readPlace: () => ListPlace | undefined): void {
  useEffect(() => {
    const endReaderMessage = provideReaderMessageId(() => readPlace()?.readerMessageId);
    const endMoves = listenForTopicMoves(
      () => findExactNarrowConversation(narrow),
      ({ to: { stream, topic }, messageIds, isWholeTopic, takesReaderAlong }) => {
        const moved = makeTopicNarrow(stream, topic);
        const names = formatTopicPlace(stream, topic);
        if (!takesReaderAlong) {
          const near = Math.min(...messageIds);
          showToast({
            text: t('messages.moved-away', { n: messageIds.length, ...names }),
            action: {
              label: t('common.show'),
              run: () => core.router.navigate({ view: 'narrow', narrow: moved, near }),
            },
          });
          return;
        }
        const place = readPlace();
        // The compose box must get this move first, since it moves its text along.
        queueMicrotask(() => {
          if (place) placeBeforeMove = { key: makeNarrowKey(moved), place };
          core.router.navigate({ view: 'narrow', narrow: moved }, isWholeTopic, true);
          showToast({ text: t(isWholeTopic ? 'messages.topic-moved' : 'messages.these-moved', names) });
        });
      },
    );
    return () => {
      endReaderMessage();
      endMoves();
    };
  }, []);
}

/** A link to a message that has left its stream or topic leads to where the message is now. */
async function followLinkedMessage(narrow: Narrow, id: number): Promise<void> {
  const isTopic = findPositiveOperand(narrow, 'topic') !== undefined;
  let message: Message | undefined;
  try {
    ({ message } = await core.api.get('/messages/{message_id}', { message_id: id }));
  } catch (error) {
    // The message is deleted or hidden from the reader. The list stays at the message behind it.
    if (!(error instanceof ApiFailure)) return;
  }
  const { value: route } = core.router.route;
  if (route.view !== 'narrow' || route.near !== id || makeNarrowKey(route.narrow) !== makeNarrowKey(narrow)) return;
  if (!message) {
    showToast({ text: t('messages.none-left') });
    return;
  }
  const { stream_id: stream, subject: topic } = message;
  if (stream === undefined) return;
  const moved = isTopic ? makeTopicNarrow(stream, topic) : makeStreamNarrow(stream);
  if (makeNarrowKey(moved) !== makeNarrowKey(narrow))
    core.router.navigate({ view: 'narrow', narrow: moved, near: id }, true);
}

/** Follows a link to a message that is no longer in the narrow. @param nearMessageId message that the address names */
export function useLinkToMovedMessage(window: MessageWindow, nearMessageId: number | undefined): void {
  const phase = window.loadPhase.value;
  useEffect(() => {
    if (nearMessageId === undefined || window.loadPhase.peek() !== 'ready') return;
    const { narrow } = window;
    const isPlace = narrow.every(({ operator, negated }) => !negated && /^(stream|topic|dm)$/.test(operator));
    if (isPlace && narrow.length > 0 && !window.messageIds.peek().includes(nearMessageId))
      void followLinkedMessage(narrow, nearMessageId);
  }, [window, nearMessageId, phase]);
}
