import { useEffect } from 'preact/hooks';
import { core } from '../client/index.js';
import { findExactNarrowConversation, makeNarrowKey, makeTopicNarrow, type Narrow } from '../core/index.js';
import { showToast } from '../kit/index.js';
import { listenForTopicMoves } from '../moves/index.js';
import { t } from '../text/index.js';

/** Where a list of messages stands. */
export interface ListPlace {
  readonly id: number | undefined;
  readonly topPx: number;
  readonly isAtEnd: boolean;
}

/** The place in the topic on screen when it was moved, until the view of its new name stands there. */
let carriedPlace: { readonly key: string; readonly place: ListPlace } | undefined;

/** @returns the place that the reader brings along from before the topic was moved */
export function takeCarriedPlace(narrow: Narrow): ListPlace | undefined {
  const carried = carriedPlace;
  carriedPlace = undefined;
  return carried?.key === makeNarrowKey(narrow) ? carried.place : undefined;
}

/** Goes where the topic on screen is moved. The address is replaced: there is nothing at the old one. */
export function useMovedTopic(narrow: Narrow, readPlace: () => ListPlace | undefined): void {
  useEffect(
    () =>
      listenForTopicMoves(
        () => findExactNarrowConversation(narrow),
        ({ stream, topic }) => {
          const moved = makeTopicNarrow(stream, topic);
          const place = readPlace();
          // The compose box hears of the move first, and takes its text along.
          queueMicrotask(() => {
            if (place) carriedPlace = { key: makeNarrowKey(moved), place };
            core.router.navigate({ view: 'narrow', narrow: moved }, true);
            showToast({ text: t('messages.topic-moved', { stream: core.state.streams.getStreamName(stream), topic }) });
          });
        },
      ),
    [],
  );
}
