/** The text before the caret that a completion would replace. */
export type CompletionTrigger =
  | { readonly kind: 'person'; readonly start: number; readonly query: string; readonly silent: boolean }
  | { readonly kind: 'stream' | 'emoji' | 'language' | 'command'; readonly start: number; readonly query: string }
  | { readonly kind: 'topic'; readonly start: number; readonly query: string; readonly stream: string };

/** Only this much text before the caret is searched; names are shorter. */
const MAX_SCANNED_CHARS_BEFORE_CARET = 120;

const CODE_FENCE_LINE_PATTERN = /^ {0,3}(?:`{3,}|~{3,})/gm;
const FENCE_LANGUAGE_TRIGGER_PATTERN = /^ {0,3}(?:`{3,}|~{3,})[ \t]*([\w+#.-]*)$/;
const SLASH_COMMAND_TRIGGER_PATTERN = /^\/(\w*)$/;
const TOPIC_TRIGGER_PATTERN = /#(?:\*\*)?([^\s*>#][^*>#\n]*)>([^*>\n]*)$/;
const STREAM_TRIGGER_PATTERN = /(?:^|[\s([{"'>])#(?:\*\*)?([^\s*>#][^*>#\n]*|)$/;
const PERSON_TRIGGER_PATTERN = /(?:^|[^\w`@*])@(_?)\*{0,2}([^\s@*`][^@*`\n]*|)$/;
const EMOJI_TRIGGER_PATTERN = /(?:^|[\s([{"'>*_~-]):([+\w-]{2,})$/;

/** Maximum words of a name. A sentence after a single @ is none. */
const MAX_QUERY_WORDS = 4;

const isPossibleNameQuery = (query: string): boolean =>
  query.split(' ').length <= MAX_QUERY_WORDS && !query.includes('  ');

/** @returns whether a code block is open at the end of the text */
function endsInOpenCodeFence(text: string): boolean {
  return (text.match(CODE_FENCE_LINE_PATTERN)?.length ?? 0) % 2 === 1;
}

/** @param text the whole text @param caret index of the caret @returns what is being typed there */
export function findTriggerAtCaret(text: string, caret: number): CompletionTrigger | undefined {
  const lineStart = text.lastIndexOf('\n', caret - 1) + 1;
  const from = Math.max(lineStart, caret - MAX_SCANNED_CHARS_BEFORE_CARET);
  const before = text.slice(from, caret);
  const at = (query: string): number => caret - query.length;
  const language = from === lineStart ? FENCE_LANGUAGE_TRIGGER_PATTERN.exec(before)?.[1] : undefined;
  if (language !== undefined) {
    // A closing fence has no language.
    return endsInOpenCodeFence(text.slice(0, lineStart))
      ? undefined
      : { kind: 'language', start: at(language), query: language };
  }
  const command = lineStart === 0 ? SLASH_COMMAND_TRIGGER_PATTERN.exec(before)?.[1] : undefined;
  if (command !== undefined) return { kind: 'command', start: 0, query: command };
  const found = findInlineTrigger(before, from);
  return found && endsInOpenCodeFence(text.slice(0, lineStart)) ? undefined : found;
}

/**
 * Finds the last trigger before the caret: names may have spaces, so in `@ann, see #gen` the text after `@` could also
 * be one long name.
 */
function findInlineTrigger(before: string, from: number): CompletionTrigger | undefined {
  const triggers: CompletionTrigger[] = [];
  const topic = TOPIC_TRIGGER_PATTERN.exec(before);
  if (topic) triggers.push({ kind: 'topic', start: from + topic.index, stream: topic[1]!.trim(), query: topic[2]! });
  const person = PERSON_TRIGGER_PATTERN.exec(before);
  if (person && isPossibleNameQuery(person[2]!)) {
    const start = from + before.lastIndexOf('@');
    triggers.push({ kind: 'person', start, query: person[2]!, silent: person[1] === '_' });
  }
  const stream = STREAM_TRIGGER_PATTERN.exec(before)?.[1];
  if (stream !== undefined && isPossibleNameQuery(stream)) {
    triggers.push({ kind: 'stream', start: from + before.lastIndexOf('#'), query: stream });
  }
  const emoji = EMOJI_TRIGGER_PATTERN.exec(before)?.[1];
  if (emoji !== undefined)
    triggers.push({ kind: 'emoji', start: from + before.length - emoji.length - 1, query: emoji });
  return triggers.sort((a, b) => b.start - a.start)[0];
}
