import { useEffect } from 'preact/hooks';
import { core } from '../client/index.js';
import type { Message } from '../contract/index.js';
import {
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

/** Where a list of messages stands. */
export interface ListPlace {
  readonly id: number | undefined;
  readonly topPx: number;
  readonly isAtEnd: boolean;
  /** The newest message on screen at the end of the list, else the first one. */
  readonly readerMessageId: number | undefined;
}

/** The place in the topic on screen when it was moved, until the view of its new name stands there. */
let carriedPlace: { readonly key: string; readonly place: ListPlace } | undefined;

/** @returns the place that the reader brings along from before the topic was moved */
export function takePlaceFromBeforeMove(narrow: Narrow): ListPlace | undefined {
  const carried = carriedPlace;
  carriedPlace = undefined;
  return carried?.key === makeNarrowKey(narrow) ? carried.place : undefined;
}

const formatTopicPlace = (stream: number, topic: string) => ({
  stream: core.state.streams.getStreamName(stream),
  topic,
});

/**
 * Goes where the messages on screen are moved. The address is replaced if there is nothing at the old one. A reader who
 * stays sees the new place of the others in a toast.
 * @param readPlace where the list stands
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
              label: t('messages.show-moved'),
              run: () => core.router.navigate({ view: 'narrow', narrow: moved, near }),
            },
          });
          return;
        }
        const place = readPlace();
        // The compose box hears of the move first, and takes its text along.
        queueMicrotask(() => {
          if (place) carriedPlace = { key: makeNarrowKey(moved), place };
          core.router.navigate({ view: 'narrow', narrow: moved }, isWholeTopic);
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
  let message: Message;
  try {
    ({ message } = await core.api.get('/messages/{message_id}', { message_id: id }));
  } catch {
    // A message that is gone, or that the reader may not see: the list stands at the one behind it.
    return;
  }
  const { stream_id: stream, subject: topic } = message;
  if (stream === undefined) return;
  const moved = isTopic ? makeTopicNarrow(stream, topic) : makeStreamNarrow(stream);
  const { value: route } = core.router.route;
  const isStillThere =
    route.view === 'narrow' && route.near === id && makeNarrowKey(route.narrow) === makeNarrowKey(narrow);
  if (isStillThere && makeNarrowKey(moved) !== makeNarrowKey(narrow))
    core.router.navigate({ view: 'narrow', narrow: moved, near: id }, true);
}

/** @param nearMessageId message that the address names */
export function useLinkToMovedMessage(window: MessageWindow, nearMessageId: number | undefined): void {
  const phase = window.loadPhase.value;
  useEffect(() => {
    if (nearMessageId === undefined || window.loadPhase.peek() !== 'ready') return;
    const { narrow } = window;
    const isPlace = narrow.every(
      ({ operator, negated }) => !negated && (operator === 'stream' || operator === 'topic'),
    );
    if (isPlace && narrow.length > 0 && !window.messageIds.peek().includes(nearMessageId))
      void followLinkedMessage(narrow, nearMessageId);
  }, [window, nearMessageId, phase]);
}
