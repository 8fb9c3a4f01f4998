import { useEffect, useId } from 'preact/hooks';
import { Icon } from '../kit/index.js';
import { listenForTopicMoves } from '../moves/index.js';
import { t } from '../text/index.js';
import { ComposeAddress } from './address.js';
import type { BoxProps } from './box.js';
import { type Composer, makeComposeTarget } from './composer.js';
import { Editor } from './editor.js';
import { ComposeNotices } from './notices.js';
import { Preview } from './preview.js';
import { findRefusal } from './rules.js';
import { ComposeToolbar } from './toolbar.js';

/** The box while something can be written. It is a chunk of its own, fetched as soon as the first view is there. */
export function OpenBox({ composer, content }: BoxProps & { readonly composer: Composer }) {
  const id = useId();
  // The text goes where its topic went.
  useEffect(
    () =>
      listenForTopicMoves(
        () => composer.conversation.peek(),
        (to) => composer.setTarget(makeComposeTarget(to)),
      ),
    [composer],
  );
  const refusal = findRefusal(composer.conversation.value);
  const chosen = composer.isTargetChosen.value || composer.viewedConversation.value === undefined;
  return (
    <>
      {chosen && <ComposeAddress composer={composer} />}
      <ComposeNotices composer={composer} errorId={`${id}-error`} />
      {refusal ? (
        <p class="compose-refused" role="status">
          <Icon name="lock" size={16} />
          {t(refusal)}
        </p>
      ) : (
        <>
          {composer.previewing.value && content ? (
            <Preview composer={composer} content={content} />
          ) : (
            <Editor composer={composer} describedBy={`${id}-error`} />
          )}
          <ComposeToolbar composer={composer} canPreview={content !== undefined} />
        </>
      )}
    </>
  );
}
