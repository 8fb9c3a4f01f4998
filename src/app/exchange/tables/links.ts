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
  readonly #formerSite: string | undefined;

  constructor(private readonly draft: ImportedOrganizationDraft) {
    this.#formerSite = draft.facts.formerSite?.replace(/\/+$/, '');
  }

  rewrite(text: string): string {
    let written = text;
    if (written.includes('/user_uploads/')) {
      written = written.replace(UPLOAD_URL_PATTERN, (all, _site: string | undefined, path: string) =>
        this.#rewriteUploadUrl(all, path),
      );
    }
    if (written.includes('#narrow/')) {
      written = written.replace(NARROW_URL_PATTERN, (all, site: string | undefined, hash: string) =>
        this.#rewriteNarrowUrl(all, site, hash),
      );
    }
    if (written.includes('|')) {
      written = written.replace(MENTION_WITH_ID_PATTERN, (all, before: string, id: string) => {
        const user = this.draft.userIds.find(Number(id));
        return user === undefined ? all : `${before}|${user}**`;
      });
    }
    return written;
  }

  /**
   * Rewrites the link of an uploaded file. The path has a random part and is unique, so the same path at any host is
   * the same file.
   */
  #rewriteUploadUrl(all: string, path: string): string {
    const known = this.draft.newFilePaths.get(path) ?? this.draft.newFilePaths.get(decodeUrlPath(path));
    return known === undefined ? all : `/user_uploads/${known}`;
  }

  #rewriteNarrowUrl(all: string, site: string | undefined, hash: string): string {
    if (site !== undefined && site !== this.#formerSite) return all;
    const parts = hash.slice(hash.indexOf('#')).split('/');
    for (let i = 1; i + 1 < parts.length; i += 2) {
      const operand = parts[i + 1]!;
      switch (parts[i]!.replace(/^-/, '')) {
        case 'stream':
        case 'channel':
          parts[i + 1] = operand.replace(/^(\d{1,15})(?=-|$)/, (id) =>
            String(this.draft.streamIds.find(Number(id)) ?? id),
          );
          break;
        case 'near':
        case 'with':
        case 'id':
          parts[i + 1] = operand.replace(/^(\d{1,15})$/, (id) => String(this.draft.messageIds.find(Number(id)) ?? id));
          break;
        case 'dm':
        case 'pm-with':
        case 'group-pm-with':
        case 'dm-including':
        case 'sender':
          parts[i + 1] = operand.replace(/^[\d,]+(?=-|$)/, (ids) => this.#rewriteUserIds(ids));
          break;
      }
    }
    return parts.join('/');
  }

  #rewriteUserIds(ids: string): string {
    return ids
      .split(',')
      .map((id) => this.draft.userIds.find(Number(id)) ?? id)
      .join(',');
  }
}

function decodeUrlPath(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}
