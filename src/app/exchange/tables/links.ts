/**
 * Links inside messages: URLs of uploaded files, of streams, topics and messages, and ids in mentions refer to the old
 * organization. They are rewritten to refer to the same objects on this server; the rest of a text stays unchanged.
 */
import type { ImportedOrganizationDraft } from '../import/draft.js';

const UPLOAD_URL_PATTERN =
  /(https?:\/\/[^\s/()<>"']+)?\/user_uploads\/([\w-]+\/[0-9a-f]{1,2}\/[\w-]{1,64}\/[^\s)\]>"'?#]+)/g;
const NARROW_URL_PATTERN = /(https?:\/\/[^\s/()<>"']+)?(\/?#narrow\/[^\s)\]>"']+)/g;
/** Matches a mention with a user id: `@**Name|12**`, `@_**Name|12**`, and `@**|12**`. */
const MENTION_WITH_ID_PATTERN = /(@_?\*\*[^*|\n]*)\|(\d{1,15})\*\*/g;

export class ImportedLinkRewriter {
  readonly #formerBaseUrl: string | undefined;

  constructor(private readonly draft: ImportedOrganizationDraft) {
    this.#formerBaseUrl = draft.facts.formerSite?.replace(/\/+$/, '');
  }

  rewriteLinksAndMentions(text: string): string {
    let written = text;
    if (written.includes('/user_uploads/')) {
      written = written.replace(UPLOAD_URL_PATTERN, (all, _site: string | undefined, path: string) =>
        this.#rewriteUploadUrlIfKnown(all, path),
      );
    }
    if (written.includes('#narrow/')) {
      written = written.replace(NARROW_URL_PATTERN, (all, site: string | undefined, hash: string) =>
        this.#rewriteNarrowUrlIfOwn(all, site, hash),
      );
    }
    if (written.includes('|')) {
      written = written.replace(MENTION_WITH_ID_PATTERN, (all, before: string, id: string) => {
        const user = this.draft.userIdMap.findNewId(Number(id));
        return user === undefined ? all : `${before}|${user}**`;
      });
    }
    return written;
  }

  /**
   * Rewrites the link of an uploaded file. The path has a random part and is unique, so the same path at any host is
   * the same file.
   */
  #rewriteUploadUrlIfKnown(all: string, path: string): string {
    const known =
      this.draft.newFilePathByOldPath.get(path) ?? this.draft.newFilePathByOldPath.get(decodeUrlPathOrKeep(path));
    return known === undefined ? all : `/user_uploads/${known}`;
  }

  #rewriteNarrowUrlIfOwn(all: string, site: string | undefined, hash: string): string {
    if (site !== undefined && site !== this.#formerBaseUrl) return all;
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
    return parts.join('/');
  }

  #rewriteCommaSeparatedUserIds(ids: string): string {
    return ids
      .split(',')
      .map((id) => this.draft.userIdMap.findNewId(Number(id)) ?? id)
      .join(',');
  }
}

function decodeUrlPathOrKeep(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}
