/** Links to streams and topics by name: `#**stream**` and `#**stream>topic**`. */
import { type InlineMarkdownRule, makePatternMarkdownRule } from './inline.js';
import { MENTION_BOUNDARY_LOOKBEHIND } from './mention.js';
import { makeTextElementTokens } from './tokens.js';

const STREAM_LINK_PATTERN = new RegExp(`${MENTION_BOUNDARY_LOOKBEHIND}#\\*\\*([^*]+)\\*\\*`, 'g');
const STREAM_TOPIC_LINK_PATTERN = new RegExp(`${MENTION_BOUNDARY_LOOKBEHIND}#\\*\\*([^*>]+)>([^*]+)\\*\\*`, 'g');

/** Encodes text for the fragment of an address: percent-encoding with `.` in place of `%`. */
function encodeForUrlFragment(text: string): string {
  return encodeURIComponent(text.replace(/\p{Cs}/gu, '\ufffd'))
    .replace(/[!'()*]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`)
    .replaceAll('.', '%2E')
    .replaceAll('%', '.');
}

const makeStreamNarrowPath = (id: number, name: string): string =>
  `/#narrow/stream/${id}-${encodeForUrlFragment(name.replaceAll(' ', '-'))}`;

/** URL of a stream. @param origin base URL of the organization */
export const makeStreamUrl = (origin: string, { id, name }: { readonly id: number; readonly name: string }): string =>
  `${origin}${makeStreamNarrowPath(id, name)}`;

/** URL of a message in its topic. @param origin base URL of the organization */
export const makeTopicMessageUrl = (
  origin: string,
  stream: { readonly id: number; readonly name: string },
  topic: string,
  message: number,
): string =>
  `${origin}${makeStreamNarrowPath(stream.id, stream.name)}/topic/${encodeForUrlFragment(topic)}/near/${message}`;

export const streamTopicLinkMarkdownRule: InlineMarkdownRule = makePatternMarkdownRule(
  '#**',
  STREAM_TOPIC_LINK_PATTERN,
  ([, streamName = '', written = ''], inline) => {
    const stream = inline.context.streamByName(inline.source(streamName));
    if (!stream) return null;
    const topic = inline.source(written);
    const text = `#${stream.name} > ${topic}`;
    const url = `${makeStreamNarrowPath(stream.id, stream.name)}/topic/${encodeForUrlFragment(topic)}`;
    return makeTextElementTokens('a', { class: 'stream-topic', 'data-stream-id': String(stream.id), href: url }, text, {
      kind: 'link',
      url,
      text,
    });
  },
);

export const streamLinkMarkdownRule: InlineMarkdownRule = makePatternMarkdownRule(
  '#**',
  STREAM_LINK_PATTERN,
  ([, written = ''], inline) => {
    const stream = inline.context.streamByName(inline.source(written));
    if (!stream) return null;
    const text = `#${stream.name}`;
    const url = makeStreamNarrowPath(stream.id, stream.name);
    return makeTextElementTokens('a', { class: 'stream', 'data-stream-id': String(stream.id), href: url }, text, {
      kind: 'link',
      url,
      text,
    });
  },
);
