import { core } from '../client/index.js';
import { hasWildcardMention } from '../completion/index.js';
import { makeConversationKey, makeConversationNarrow } from '../core/index.js';
import { showToast } from '../kit/index.js';
import { confirm } from '../kit-later/index.js';
import { t } from '../text/index.js';
import type { Composer } from './composer.js';
import {
  findSendRefusalTextKey,
  lacksMandatoryTopic,
  MAX_SUBSCRIBERS_FOR_FREE_WILDCARD,
  mayMentionAllInLargeStreams,
} from './rules.js';
import { runSlashCommandInText } from './slash.js';
import { getCachedOrFetchSubscriberIds } from './subscribers.js';
import { listUploadsInBox } from './uploads.js';

/** Looks at the message as the server will. @returns a text that says what is missing; undefined for a good one */
export function findProblemTextBeforeSending(composer: Composer): string | undefined {
  const { target, targetConversation, text } = composer;
  const [{ kind }, to, content] = [target.peek(), targetConversation.peek(), text.peek()];
  if (to === undefined) return t(kind === 'stream' ? 'compose.choose-stream' : 'compose.choose-people');
  const refusal = findSendRefusalTextKey(to);
  if (refusal) return t(refusal);
  if (lacksMandatoryTopic(to)) return t('compose.topic-required');
  if (content.trim() === '') return t('compose.empty');
  if (listUploadsInBox(composer).some(({ error }) => error === undefined)) return t('compose.uploading');
  const limit = core.state.realm.value.max_message_length ?? Infinity;
  if ([...content].length > limit) return t('compose.too-long', { n: limit });
  return undefined;
}

/** @returns whether the user wants to notify this many people */
async function allowOrConfirmWildcardMention(composer: Composer): Promise<boolean> {
  const to = composer.targetConversation.peek();
  if (!to || 'users' in to || !hasWildcardMention(composer.text.peek())) return true;
  const n = (await getCachedOrFetchSubscriberIds(to.stream)).length;
  if (n <= MAX_SUBSCRIBERS_FOR_FREE_WILDCARD) return true;
  if (!mayMentionAllInLargeStreams()) {
    composer.error.value = t('compose.wildcard-refused', { n });
    return false;
  }
  return confirm({
    title: t('compose.wildcard-title'),
    text: t('compose.wildcard-text', { n, stream: core.state.streams.getStreamName(to.stream) }),
    confirmLabel: t('compose.send'),
  });
}

/** Checks the text before it leaves, and says what is wrong. @returns whether it may leave */
export async function validateAndConfirmSending(composer: Composer): Promise<boolean> {
  const problem = findProblemTextBeforeSending(composer);
  if (problem !== undefined) {
    composer.error.value = problem;
    return false;
  }
  return allowOrConfirmWildcardMention(composer);
}

/** Sends what is in the box, or carries it out. A message that appears elsewhere is said with a link. */
export async function sendComposedMessage(composer: Composer): Promise<void> {
  if (await runSlashCommandInText(composer)) return;
  if (!(await validateAndConfirmSending(composer))) {
    composer.focusNowOrWhenMounted();
    return;
  }
  const to = composer.targetConversation.peek()!;
  core.outbox.sendMessage(to, composer.text.peek().trimEnd());
  composer.clearAfterSending();
  const viewed = composer.viewedConversation.peek();
  if (!composer.isTargetChosen.peek() || (viewed && makeConversationKey(viewed) === makeConversationKey(to))) {
    composer.focusNowOrWhenMounted();
    return;
  }
  composer.resetToViewedConversation();
  showToast({
    text: t('compose.sent'),
    kind: 'success',
    action: {
      label: t('compose.show'),
      run: () => core.router.navigate({ view: 'narrow', narrow: makeConversationNarrow(to) }),
    },
  });
}
