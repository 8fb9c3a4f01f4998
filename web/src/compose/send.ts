import { core } from '../client/index.js';
import { hasWildcardMention } from '../completion/index.js';
import { makeConversationKey, makeConversationNarrow } from '../core/index.js';
import { showToast } from '../kit/index.js';
import { confirm, findTooLongText } from '../kit-later/index.js';
import { t } from '../text/index.js';
import type { Composer } from './composer.js';
import {
  findSendRefusalText,
  lacksMandatoryTopic,
  MAX_SUBSCRIBERS_FOR_FREE_WILDCARD,
  mayMentionAllInLargeStreams,
} from './rules.js';
import { runSlashCommandInText } from './slash.js';
import { getCachedOrFetchSubscriberIds } from './subscribers.js';
import { listUploadsInBox } from './uploads.js';

/** Checks the message by the rules of the server. @returns a text that names the problem; undefined if there is none */
export function findProblemTextBeforeSending(composer: Composer): string | undefined {
  const { target, targetConversation, text } = composer;
  const [{ kind }, to, content] = [target.peek(), targetConversation.peek(), text.peek()];
  if (to === undefined) return t(kind === 'stream' ? 'common.choose-stream' : 'compose.choose-people');
  const refusal = findSendRefusalText(to);
  if (refusal !== undefined) return refusal;
  if (lacksMandatoryTopic(to)) return t('compose.topic-required');
  if (content.trim() === '') return t('compose.empty');
  if (listUploadsInBox(composer).some(({ error }) => error === undefined)) return t('compose.uploading');
  return findTooLongText(content, core.state.realm.value.max_message_length);
}

/**
 * @param hasLeft whether the text has left the box, where neither a problem nor a question belongs to it any more
 * @returns whether the mention is allowed and, with many subscribers, the user has confirmed it
 */
async function allowOrConfirmWildcardMention(composer: Composer, hasLeft: () => boolean): Promise<boolean> {
  const to = composer.targetConversation.peek();
  if (!to || 'users' in to || !hasWildcardMention(composer.text.peek())) return true;
  const n = (await getCachedOrFetchSubscriberIds(to.stream)).length;
  if (n <= MAX_SUBSCRIBERS_FOR_FREE_WILDCARD) return true;
  if (hasLeft()) return false;
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

/**
 * Checks the text and shows the problem, if there is one.
 * @returns whether it may be sent; `left` if the text has left the box during the check, even if it is back: it then
 * stays a draft
 */
export async function validateAndConfirmSending(composer: Composer): Promise<'sendable' | 'refused' | 'left'> {
  const problem = findProblemTextBeforeSending(composer);
  if (problem !== undefined) {
    composer.error.value = problem;
    return 'refused';
  }
  const { switchCount } = composer;
  const hasLeft = (): boolean => composer.switchCount !== switchCount;
  const isAllowed = await allowOrConfirmWildcardMention(composer, hasLeft);
  if (hasLeft()) return 'left';
  return isAllowed ? 'sendable' : 'refused';
}

/** Sends the text or runs its slash command. A toast links to a message that was sent to a conversation elsewhere. */
export async function sendComposedMessage(composer: Composer): Promise<void> {
  if (await runSlashCommandInText(composer)) return;
  const outcome = await validateAndConfirmSending(composer);
  if (outcome === 'refused') composer.focusNowOrWhenMounted();
  if (outcome !== 'sendable') return;
  const to = composer.targetConversation.peek()!;
  core.outbox.sendMessage(to, composer.text.peek().trimEnd());
  composer.clearAfterSending();
  const viewed = composer.viewedConversation.peek();
  if (viewed && (!composer.isTargetChosen.peek() || makeConversationKey(viewed) === makeConversationKey(to))) {
    composer.focusNowOrWhenMounted();
    return;
  }
  composer.resetToViewedConversation();
  showToast({
    text: t('compose.sent'),
    kind: 'success',
    action: {
      label: t('common.show'),
      run: () => core.router.navigate({ view: 'narrow', narrow: makeConversationNarrow(to) }),
    },
  });
}
