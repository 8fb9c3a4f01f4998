/** The text before the caret that a completion would replace. */
export type Trigger =
  | { readonly kind: 'person'; readonly start: number; readonly query: string; readonly silent: boolean }
  | { readonly kind: 'stream' | 'emoji' | 'language' | 'command'; readonly start: number; readonly query: string }
  | { readonly kind: 'topic'; readonly start: number; readonly query: string; readonly stream: string };

/** A name is not longer than this, so the text further back is not looked at. */
const MAX_LOOKED_BACK = 120;

const FENCE = /^ {0,3}(?:`{3,}|~{3,})/gm;
const LANGUAGE = /^ {0,3}(?:`{3,}|~{3,})[ \t]*([\w+#.-]*)$/;
const COMMAND = /^\/(\w*)$/;
const TOPIC = /#(?:\*\*)?([^\s*>#][^*>#\n]*)>([^*>\n]*)$/;
const STREAM = /(?:^|[\s([{"'>])#(?:\*\*)?([^\s*>#][^*>#\n]*|)$/;
const PERSON = /(?:^|[^\w`@*])@(_?)\*{0,2}([^\s@*`][^@*`\n]*|)$/;
const EMOJI = /(?:^|[\s([{"'>*_~-]):([+\w-]{2,})$/;

/** Words of a query: a sentence after a lonely @ is no name. */
const MAX_WORDS = 4;

const isName = (query: string): boolean => query.split(' ').length <= MAX_WORDS && !query.includes('  ');

/** @returns whether a code block is open at the end of the text */
function isInFence(text: string): boolean {
  return (text.match(FENCE)?.length ?? 0) % 2 === 1;
}

/** Finds what is being typed at the caret. @param text the whole text @param caret index of the caret */
export function triggerAt(text: string, caret: number): Trigger | undefined {
  const lineStart = text.lastIndexOf('\n', caret - 1) + 1;
  const from = Math.max(lineStart, caret - MAX_LOOKED_BACK);
  const before = text.slice(from, caret);
  const at = (query: string): number => caret - query.length;
  const language = from === lineStart ? LANGUAGE.exec(before)?.[1] : undefined;
  if (language !== undefined) {
    // The fence that ends a block takes no language.
    return isInFence(text.slice(0, lineStart)) ? undefined : { kind: 'language', start: at(language), query: language };
  }
  const command = lineStart === 0 ? COMMAND.exec(before)?.[1] : undefined;
  if (command !== undefined) return { kind: 'command', start: 0, query: command };
  const found = triggerIn(before, from);
  return found && isInFence(text.slice(0, lineStart)) ? undefined : found;
}

function triggerIn(before: string, from: number): Trigger | undefined {
  const topic = TOPIC.exec(before);
  if (topic) {
    return { kind: 'topic', start: from + topic.index, stream: topic[1]!.trim(), query: topic[2]! };
  }
  const person = PERSON.exec(before);
  if (person && isName(person[2]!)) {
    const start = from + before.lastIndexOf('@');
    return { kind: 'person', start, query: person[2]!, silent: person[1] === '_' };
  }
  const stream = STREAM.exec(before)?.[1];
  if (stream !== undefined && isName(stream)) {
    return { kind: 'stream', start: from + before.lastIndexOf('#'), query: stream };
  }
  const emoji = EMOJI.exec(before)?.[1];
  if (emoji !== undefined) return { kind: 'emoji', start: from + before.length - emoji.length - 1, query: emoji };
  return undefined;
}
