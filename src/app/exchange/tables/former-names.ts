/**
 * Mentions and links by names that have changed since they were written. The exported HTML of a text has the names that
 * were shown and the ids that they stood for. Nothing else of the HTML is used.
 */
import { unescapeHtml } from '#base';
import { mapTextOutsideCode } from '#domain/markdown';
import type { ImportedOrganizationDraft } from '../import/draft.js';

type NamedKind = 'user' | 'user-group' | 'stream';
type IdsByNameAndKind = ReadonlyMap<NamedKind, ReadonlyMap<string, ReadonlySet<number>>>;
type UrlsByMessageId = ReadonlyMap<string, string>;

const MENTION_OR_LINK_PATTERN = /@_?\*|#\*\*/;
/** Each pattern captures the mark before the name, the name, and the id or topic behind it. */
const PATTERN_BY_KIND: Readonly<Record<NamedKind, RegExp>> = {
  user: /(@_?\*\*)([^*\n]+?)(\|\d{1,15})?(?=\*\*)/g,
  'user-group': /(@_?\*)([^*\n]+)()(?=\*)/g,
  stream: /(#\*\*)([^*>\n]+)(>[^*\n]+)?(?=\*\*)/g,
};
const SHOWN_NAME_PATTERN = /\sdata-(user|user-group|stream)-id="(\d{1,15})"[^<>]{0,200}>[@#]?([^<]*)</g;
/** Name of a stream in the text of a link to a topic. */
const NAME_BEFORE_TOPIC_PATTERN = /^(.+?) > /;
/** A name that Markdown can write in a mention or link. */
const WRITABLE_NAME_PATTERN = /^[^*>\n]+$/;
/** Matches a link of newer servers to a message, by the names of its stream and topic: `#**stream>topic@12**`. */
const MESSAGE_LINK_PATTERN = /#\*\*([^*>[\]\n]+)>([^*[\]\n]+)@(\d{1,15})\*\*/g;
const MESSAGE_URL_PATTERN = /class="message-link" href="(\/#narrow\/[\w.\-/%]+\/near\/(\d{1,15}))"/g;

/** True if a text may have a mention or a link by name. Other texts need none of their HTML. */
export const mayHaveMentionOrLink = (text: string): boolean => MENTION_OR_LINK_PATTERN.test(text);

/** Writes present names into texts of an export, except into code. Ids in the texts stay those of the export. */
export class FormerNameRewriter {
  #presentNamesById: Readonly<Record<NamedKind, ReadonlyMap<number, string>>> | undefined;

  constructor(private readonly draft: ImportedOrganizationDraft) {}

  /** Puts the present names into a text. @param html the text's HTML in the export */
  writePresentNames(text: string, html: string): string {
    if (html === '' || !mayHaveMentionOrLink(text)) return text;
    const idsByNameAndKind = findIdsByShownName(html);
    const urlById = findUrlsOfMessageLinks(html);
    return mapTextOutsideCode(text, (part) => this.#writePresentNamesIntoPart(part, idsByNameAndKind, urlById));
  }

  #writePresentNamesIntoPart(part: string, idsByNameAndKind: IdsByNameAndKind, urlById: UrlsByMessageId): string {
    let written = urlById.size > 0 ? writeUrlsOfMessageLinks(part, urlById) : part;
    for (const [kind, idsByName] of idsByNameAndKind) {
      written = written.replace(PATTERN_BY_KIND[kind], (all, mark: string, name: string, rest = '') => {
        const ids = idsByName.get(name);
        const given = kind === 'user' && rest !== '' ? Number(rest.slice(1)) : undefined;
        const id = given ?? (ids?.size === 1 ? [...ids][0] : undefined);
        const present = id !== undefined && ids?.has(id) ? this.#presentNameOf(kind, id) : undefined;
        if (present === undefined || present === name || !WRITABLE_NAME_PATTERN.test(present)) return all;
        return `${mark}${present}${kind === 'user' ? `|${id}` : rest}`;
      });
    }
    return written;
  }

  /** @param id in the export */
  #presentNameOf(kind: NamedKind, id: number): string | undefined {
    const { directoryRecords, userIdMap, groupIdMap, streamIdMap } = this.draft;
    this.#presentNamesById ??= {
      user: new Map(directoryRecords.users.map((user) => [user.id, user.fullName])),
      'user-group': new Map(directoryRecords.groups.map((group) => [group.id, group.name])),
      stream: new Map(directoryRecords.streams.map((stream) => [stream.id, stream.name])),
    };
    const idMap = { user: userIdMap, 'user-group': groupIdMap, stream: streamIdMap }[kind];
    return this.#presentNamesById[kind].get(idMap.findNewId(id) ?? 0);
  }
}

/** Finds the shown names in HTML, with the ids that each stands for: several users may have one name. */
function findIdsByShownName(html: string): IdsByNameAndKind {
  const found = new Map<NamedKind, Map<string, Set<number>>>();
  for (const [, kind, id, text = ''] of html.matchAll(SHOWN_NAME_PATTERN)) {
    const shown = unescapeHtml(text);
    const name = kind === 'stream' ? (NAME_BEFORE_TOPIC_PATTERN.exec(shown)?.[1] ?? shown) : shown;
    const idsByName = found.get(kind as NamedKind) ?? new Map<string, Set<number>>();
    found.set(kind as NamedKind, idsByName.set(name, (idsByName.get(name) ?? new Set()).add(Number(id))));
  }
  return found;
}

const findUrlsOfMessageLinks = (html: string): UrlsByMessageId =>
  new Map([...html.matchAll(MESSAGE_URL_PATTERN)].map(([, url = '', id = '']) => [id, url]));

/** This server has no links to messages by names, so they become links by URL. */
const writeUrlsOfMessageLinks = (text: string, urlById: UrlsByMessageId): string =>
  text.replace(MESSAGE_LINK_PATTERN, (all, stream: string, topic: string, id: string) => {
    const url = urlById.get(id);
    return url === undefined ? all : `[#${stream} > ${topic} @ 💬](${url})`;
  });
