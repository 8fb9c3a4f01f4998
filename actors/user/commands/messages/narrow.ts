/** The narrow of a request, resolved for its caller (narrow.md). */
import {
  type NarrowDialect,
  parseDistinctNarrowTerms,
  type ResolvedNarrowTerm,
  replaceWithTerm,
  resolveNarrowTerms,
  toStoredMessage,
} from '#domain/messages';
import type { RealmId } from '#model';
import type { NarrowArgs } from '#model/commands';
import type { ActorInputSources } from '../../../services.js';
import type { MessageReadingRights } from './on-message.js';

/** Resolves a narrow. @param options as for `resolveNarrowTerms` @throws ApiError BAD_NARROW */
export async function loadNarrowTerms(
  args: NarrowArgs,
  { reader, user, directory }: MessageReadingRights,
  { realm }: { readonly realm: RealmId },
  { store }: ActorInputSources,
  options: { searchApart?: boolean } = {},
): Promise<ResolvedNarrowTerm[]> {
  const dialect: NarrowDialect = args.narrow_dialect ?? 'classic';
  const parsed = parseDistinctNarrowTerms(args.narrow, dialect);
  if (dialect === 'classic') return resolveNarrowTerms(parsed, directory, user.id, options);
  const raw = await replaceWithTerm(parsed, async (id) => {
    const [record] = await store.getMessages(realm, [id]);
    const own = record ? await reader.findReadableInAnyView(toStoredMessage(record)) : undefined;
    return own?.message;
  });
  return resolveNarrowTerms(raw, directory, user.id, { ...options, dialect });
}
