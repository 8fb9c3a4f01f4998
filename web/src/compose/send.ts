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

/** Checks the message by the rules of the server. @returns a text that names the problem; undefined if there is none */
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

/** @returns whether the mention is allowed and, with many subscribers, the user has confirmed it */
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

/** Checks the text and shows the problem, if there is one. @returns whether it may be sent */
export async function validateAndConfirmSending(composer: Composer): Promise<boolean> {
  const problem = findProblemTextBeforeSending(composer);
  if (problem !== undefined) {
    composer.error.value = problem;
    return false;
  }
  return allowOrConfirmWildcardMention(composer);
}

/** Sends the text or runs its slash command. A toast links to a message that was sent to a conversation elsewhere. */
export async function sendComposedMessage(composer: Composer): Promise<void> {
  if (await runSlashCommandInText(composer)) return;
  const { switchCount } = composer;
  if (!(await validateAndConfirmSending(composer))) {
    composer.focusNowOrWhenMounted();
    return;
  }
  // The reader has left during the check, and may be back: the text stays a draft until it is sent again.
  if (composer.switchCount !== switchCount) return;
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
