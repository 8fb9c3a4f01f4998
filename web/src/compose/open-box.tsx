import { useComputed } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { core } from '../client/index.js';
import type { Conversation } from '../core/index.js';
import { Icon, useUniqueId } from '../kit/index.js';
import { listenForTopicMoves } from '../moves/index.js';
import { ComposeAddressRow } from './address.js';
import type { ComposeBoxProps } from './box.js';
import { type Composer, makeTargetOfConversation } from './composer.js';
import { ComposeTextEditor } from './editor.js';
import { ComposeNotices } from './notices.js';
import { ServerRenderedPreview } from './preview.js';
import { findSendRefusalText } from './rules.js';
import { ComposeToolbar } from './toolbar.js';
import { OwnTypingNotices } from './typing-notices.js';

export { uploadFiles } from './uploads.js';

/** The open box. Its chunk is fetched as soon as the first view is on screen. */
export function OpenBox({ composer, content }: ComposeBoxProps & { readonly composer: Composer }) {
  const id = useUniqueId();
  composer.typingNotices ??= new OwnTypingNotices(core, composer.userId);
  // The text follows its topic. If the topic is not on screen, only a move of all its messages counts.
  useEffect(
    () =>
      listenForTopicMoves(
        () => composer.targetConversation.peek(),
        ({ to, isWholeTopic, takesReaderAlong }) => {
          const { isTargetChosen, viewedConversation } = composer;
          const wasChosen = isTargetChosen.peek();
          if (!isWholeTopic && (!takesReaderAlong || wasChosen)) return;
          composer.changeTargetByUser(makeTargetOfConversation(to));
          // The reader did not choose the new address of a text that stayed in the box in another view.
          if (!viewedConversation.peek()) isTargetChosen.value = wasChosen;
        },
      ),
    [composer],
  );
  const { value: conversation } = composer.targetConversation;
  const refusal = findSendRefusalText(conversation);
  const chosen = composer.isTargetChosen.value || composer.viewedConversation.value === undefined;
  // A text stays on screen when the right to write ends: the user can copy it or choose another address. The box stays
  // also when the text is deleted, which the user may want to undo.
  const hasText = useComputed(() => composer.text.value.trim() !== '').value;
  const refusedConversation = useRef<Conversation>(undefined);
  if (!refusal) refusedConversation.current = undefined;
  else if (hasText) refusedConversation.current = conversation;
  const isBoxShown = !refusal || (conversation !== undefined && refusedConversation.current === conversation);
  return (
    <>
      {(chosen || (refusal && isBoxShown)) && <ComposeAddressRow composer={composer} />}
      <ComposeNotices composer={composer} errorId={`${id}-error`} />
      {refusal && (
        <p class="compose-refused" role="status">
          <Icon name="lock" size={16} />
          {refusal}
        </p>
      )}
      {isBoxShown && (
        <>
          {composer.isPreviewing.value && content ? (
            <ServerRenderedPreview composer={composer} content={content} />
          ) : (
            <ComposeTextEditor composer={composer} describedBy={`${id}-error`} />
          )}
          <ComposeToolbar composer={composer} canPreview={content !== undefined} maySend={!refusal} />
        </>
      )}
    </>
  );
}
