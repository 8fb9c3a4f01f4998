import { core } from '../client/index.js';
import { conversationKey, conversationNarrow } from '../core/index.js';
import { toast } from '../kit/index.js';
import { confirm } from '../kit-later/index.js';
import { t } from '../text/index.js';
import { hasWildcardMention } from './completion/insertion.js';
import type { Composer } from './composer.js';
import { findRefusal, lacksMandatoryTopic, MAX_FREE_WILDCARD_SUBSCRIBERS, mayMentionAll } from './rules.js';
import { fetchSubscriberIds } from './subscribers.js';
import { uploads } from './uploads.js';

/** Looks at the message as the server will. @returns a text that says what is missing; undefined for a good one */
export function findMessageProblem({ target, conversation, text }: Composer): string | undefined {
  const [{ kind }, to, content] = [target.peek(), conversation.peek(), text.peek()];
  if (to === undefined) return t(kind === 'stream' ? 'compose.choose-stream' : 'compose.choose-people');
  const refusal = findRefusal(to);
  if (refusal) return t(refusal);
  if (lacksMandatoryTopic(to)) return t('compose.topic-required');
  if (content.trim() === '') return t('compose.empty');
  if (uploads.value.some(({ error }) => error === undefined)) return t('compose.uploading');
  const limit = core.state.realm.value.max_message_length ?? Infinity;
  if ([...content].length > limit) return t('compose.too-long', { n: limit });
  return undefined;
}

/** @returns whether the user wants to notify this many people */
async function confirmMentionAll(composer: Composer): Promise<boolean> {
  const to = composer.conversation.peek();
  if (!to || 'users' in to || !hasWildcardMention(composer.text.peek())) return true;
  const n = (await fetchSubscriberIds(to.stream)).length;
  if (n <= MAX_FREE_WILDCARD_SUBSCRIBERS) return true;
  if (!mayMentionAll()) {
    composer.error.value = t('compose.wildcard-refused', { n });
    return false;
  }
  return confirm({
    title: t('compose.wildcard-title'),
    text: t('compose.wildcard-text', { n, stream: core.state.streams.nameOf(to.stream) }),
    confirmLabel: t('compose.send'),
  });
}

/** Checks the text before it leaves, and says what is wrong. @returns whether it may leave */
export async function checkBeforeSending(composer: Composer): Promise<boolean> {
  const problem = findMessageProblem(composer);
  if (problem !== undefined) {
    composer.error.value = problem;
    return false;
  }
  return confirmMentionAll(composer);
}

/** Sends what is in the box. A message that appears elsewhere is said with a link. */
export async function sendText(composer: Composer): Promise<void> {
  if (!(await checkBeforeSending(composer))) {
    composer.focus();
    return;
  }
  const to = composer.conversation.peek()!;
  core.outbox.send(to, composer.text.peek().trimEnd());
  composer.clearAfterSending();
  const viewed = composer.viewedConversation.peek();
  if (!composer.isTargetChosen.peek() || (viewed && conversationKey(viewed) === conversationKey(to))) {
    composer.focus();
    return;
  }
  composer.close();
  toast({
    text: t('compose.sent'),
    kind: 'success',
    action: {
      label: t('compose.show'),
      run: () => core.router.navigate({ view: 'narrow', narrow: conversationNarrow(to) }),
    },
  });
}
