import { core } from '../client/index.js';
import { conversationKey, conversationNarrow } from '../core/index.js';
import { confirm, toast } from '../kit/index.js';
import { t } from '../text/index.js';
import { hasWildcard } from './completion/insertion.js';
import type { Composer } from './composer.js';
import { lacksTopic, MANY_SUBSCRIBERS, mayMentionAll, refusalOf } from './rules.js';
import { subscribersOf } from './subscribers.js';
import { uploads } from './uploads.js';

/** Looks at the message as the server will. @returns a text that says what is missing; undefined for a good one */
export function problemOf({ target, conversation, text }: Composer): string | undefined {
  const [{ kind }, to, content] = [target.peek(), conversation.peek(), text.peek()];
  if (to === undefined) return t(kind === 'stream' ? 'compose.choose-stream' : 'compose.choose-people');
  const refusal = refusalOf(to);
  if (refusal) return t(refusal);
  if (lacksTopic(to)) return t('compose.topic-required');
  if (content.trim() === '') return t('compose.empty');
  if (uploads.value.some(({ error }) => error === undefined)) return t('compose.uploading');
  const limit = core.state.realm.value.max_message_length ?? Infinity;
  if ([...content].length > limit) return t('compose.too-long', { n: limit });
  return undefined;
}

/** @returns whether the user wants to notify this many people */
async function agreesToMentionAll(composer: Composer): Promise<boolean> {
  const to = composer.conversation.peek();
  if (!to || 'users' in to || !hasWildcard(composer.text.peek())) return true;
  const n = (await subscribersOf(to.stream)).length;
  if (n <= MANY_SUBSCRIBERS) return true;
  if (!mayMentionAll()) {
    composer.error.value = t('compose.wildcard-refused', { n });
    return false;
  }
  return confirm({
    title: t('compose.wildcard-title'),
    text: t('compose.wildcard-text', { n, stream: core.state.streams.nameOf(to.stream) }),
    action: t('compose.send'),
  });
}

/** Checks the text before it leaves, and says what is wrong. @returns whether it may leave */
export async function checkText(composer: Composer): Promise<boolean> {
  const problem = problemOf(composer);
  if (problem !== undefined) {
    composer.error.value = problem;
    return false;
  }
  return agreesToMentionAll(composer);
}

/** Sends what is in the box. A message that appears elsewhere is said with a link. */
export async function sendText(composer: Composer): Promise<void> {
  if (!(await checkText(composer))) {
    composer.focus();
    return;
  }
  const to = composer.conversation.peek()!;
  core.outbox.send(to, composer.text.peek().trimEnd());
  composer.clear();
  const viewed = composer.viewed.peek();
  if (!composer.chosen.peek() || (viewed && conversationKey(viewed) === conversationKey(to))) {
    composer.focus();
    return;
  }
  composer.close();
  toast({
    text: t('compose.sent'),
    kind: 'success',
    action: {
      label: t('compose.show'),
      run: () => core.router.go({ view: 'narrow', narrow: conversationNarrow(to) }),
    },
  });
}
