/**
 * Renders messages in the import's main thread while it waits for the writers. With two cores there is one writer
 * thread, and the main thread would otherwise be idle for half of the time.
 */
import { setImmediate } from 'node:timers/promises';
import type { MessageRecord } from '#model/records';
import {
  ImportedMessageRenderer,
  MESSAGES_PER_RENDERING_SLICE,
  type MessageRenderingContext,
  type MessagesToStore,
  type UnrenderedMessage,
} from './message-writer.js';

/**
 * Maximum length of a text that is rendered here, characters. Longer ones may be rendered in a thread of their own,
 * which each writer has already.
 */
const MAX_CHARACTERS = 1_000;

export class WaitingTimeRenderer {
  readonly #renderer: ImportedMessageRenderer;

  constructor(context: MessageRenderingContext) {
    this.#renderer = new ImportedMessageRenderer(context);
  }

  /** Renders messages until the promise is fulfilled or rejected. @returns the messages, more of them rendered */
  async renderUntilSettled(
    waitingFor: Promise<unknown>,
    { rendered, unrendered }: MessagesToStore,
  ): Promise<MessagesToStore> {
    let isSettled = false;
    const settle = (): void => {
      isSettled = true;
    };
    waitingFor.then(settle, settle);
    const records: MessageRecord[] = [...rendered];
    const left: UnrenderedMessage[] = [];
    for (const [i, message] of unrendered.entries()) {
      if (!isSettled && i % MESSAGES_PER_RENDERING_SLICE === 0) await setImmediate();
      if (isSettled || !isQuickToRender(message)) left.push(message);
      else records.push(await this.#renderer.makeRecord(message));
    }
    return { rendered: records, unrendered: left };
  }

  close(): Promise<void> {
    return this.#renderer.close();
  }
}

const isQuickToRender = ({ body, edits }: UnrenderedMessage): boolean =>
  edits.length === 0 && body.content.length <= MAX_CHARACTERS;
