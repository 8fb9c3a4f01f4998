/**
 * Links inside messages: URLs of uploaded files, of streams, topics and messages, and ids in mentions refer to the old
 * organization, and names in links and mentions may have changed since. They are rewritten to refer to the same objects
 * on this server; the rest of a text stays unchanged, also names and mentions in code.
 */
import { mapTextOutsideCode } from '#domain/markdown';
import type { ImportedOrganizationDraft } from '../import/draft.js';
import { FormerNameRewriter } from './former-names.js';

const UPLOAD_URL_PATTERN =
  /(https?:\/\/[^\s/()<>"']+)?\/user_uploads\/([\w-]+\/[0-9a-f]{1,2}\/[\w-]{1,64}\/[^\s)\]>"'?#]+)/g;
const NARROW_URL_PATTERN = /(https?:\/\/[^\s/()<>"']+)?(\/?#narrow\/[^\s)\]>"']+)/g;
/** Characters that belong to the text, not to the URL, at the end of what the patterns above match. */
const TRAILING_PUNCTUATION: ReadonlySet<string> = new Set('.,;:!?*|~`');
/** Matches a mention with a user id: `@**Name|12**`, `@_**Name|12**`, and `@**|12**`. */
const MENTION_WITH_ID_PATTERN = /(@_?\*\*[^*\n]*)\|(\d{1,15})\*\*/g;

export class ImportedLinkRewriter {
  /** Host and port of the former site; links to it may have either scheme. */
  readonly #formerHost: string | undefined;
  /** With the slash at its end. Full URLs stay full ones: without brackets, no others are links. */
  readonly #newBaseUrl: string;
  readonly #formerNames: FormerNameRewriter;

  constructor(private readonly draft: ImportedOrganizationDraft) {
    this.#formerHost = findHostOfUrl(draft.facts.formerSite);
    this.#newBaseUrl = `${draft.facts.origin}/`;
    this.#formerNames = new FormerNameRewriter(draft);
  }

  /** @param html the text's HTML in the export; '' if there is none */
  rewriteLinksAndMentions(text: string, html: string): string {
    let written = this.#formerNames.writePresentNames(text, html);
    if (written.includes('/user_uploads/')) {
      written = written.replace(UPLOAD_URL_PATTERN, (all, site: string | undefined, path: string) =>
        this.#rewriteUploadUrlIfKnown(all, site, path),
      );
    }
    if (written.includes('#narrow/')) {
      written = written.replace(NARROW_URL_PATTERN, (all, site: string | undefined, hash: string) =>
        this.#rewriteNarrowUrlIfOwn(all, site, hash),
      );
    }
    if (written.includes('|')) {
      written = mapTextOutsideCode(written, (part) =>
        part.replace(MENTION_WITH_ID_PATTERN, (all, before: string, id: string) => {
          const user = this.draft.userIdMap.findNewId(Number(id));
          return user === undefined ? all : `${before}|${user}**`;
        }),
      );
    }
    return written;
  }

  /**
   * Rewrites the link of an uploaded file. The path has a random part and is unique, so the same path at any host is
   * the same file.
   */
  #rewriteUploadUrlIfKnown(all: string, site: string | undefined, path: string): string {
    // The name of a file may end with punctuation, too.
    const whole = this.#findNewFilePath(path);
    const [plain, punctuation] = whole === undefined ? splitTrailingPunctuation(path) : [path, ''];
    const known = whole ?? this.#findNewFilePath(plain);
    const base = site === undefined ? '/' : this.#newBaseUrl;
    return known === undefined ? all : `${base}user_uploads/${known}${punctuation}`;
  }

  #findNewFilePath(path: string): string | undefined {
    const { newFilePathByOldPath } = this.draft;
    return newFilePathByOldPath.get(path) ?? newFilePathByOldPath.get(decodeUrlPathOrKeep(path));
  }

  #rewriteNarrowUrlIfOwn(all: string, site: string | undefined, written: string): string {
    if (site !== undefined && (!this.#formerHost || findHostOfUrl(site) !== this.#formerHost)) return all;
    const [hash, punctuation] = splitTrailingPunctuation(written);
    const parts = hash.slice(hash.indexOf('#')).split('/');
    for (let i = 1; i + 1 < parts.length; i += 2) {
      const operand = parts[i + 1]!;
      switch (parts[i]!.replace(/^-/, '')) {
        case 'stream':
        case 'channel':
          parts[i + 1] = operand.replace(/^(\d{1,15})(?=-|$)/, (id) =>
            String(this.draft.streamIdMap.findNewId(Number(id)) ?? id),
          );
          break;
        case 'near':
        case 'with':
        case 'id':
          parts[i + 1] = operand.replace(/^(\d{1,15})$/, (id) =>
            String(this.draft.messageIdMap.findNewId(Number(id)) ?? id),
          );
          break;
        case 'dm':
        case 'pm-with':
        case 'group-pm-with':
        case 'dm-including':
        case 'sender':
          parts[i + 1] = operand.replace(/^[\d,]+(?=-|$)/, (ids) => this.#rewriteCommaSeparatedUserIds(ids));
          break;
      }
    }
    return `${site === undefined ? '' : this.#newBaseUrl}${parts.join('/')}${punctuation}`;
  }

  #rewriteCommaSeparatedUserIds(ids: string): string {
    return ids
      .split(',')
      .map((id) => this.draft.userIdMap.findNewId(Number(id)) ?? id)
      .join(',');
  }
}

/** Finds the host and, unless it is the usual one, the port of a URL, in lower case. */
const findHostOfUrl = (url: string | undefined): string | undefined =>
  url !== undefined && URL.canParse(url) ? new URL(url).host : undefined;

function splitTrailingPunctuation(url: string): [url: string, punctuation: string] {
  let end = url.length;
  while (end > 0 && TRAILING_PUNCTUATION.has(url[end - 1]!)) end--;
  return [url.slice(0, end), url.slice(end)];
}

function decodeUrlPathOrKeep(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}
