/**
 * Encoded lists of user objects. Thousands of users read the same list, and what they see differs only by the addresses
 * that their role may see. So a list is put together from chunks of 256 accounts, which are encoded once per class of
 * roles; a change of an account makes one chunk stale. Encoding all of 100,000 accounts takes 400 ms, one chunk 1 ms.
 */
import { EncodedJson, memoizeByObject } from '#base';
import { toUserId, type UserId } from '#model';
import type { DirectoryUser, DirectoryView } from '#model/records';
import { maySeeRealEmail, USER_ROLE } from '../roles.js';
import { isSystemBot } from '../system-bots.js';
import { type FormatUserOptions, formatUserForApi } from './present-user.js';

interface UserListVariantOptions extends Omit<FormatUserOptions, 'profile'> {
  readonly profile?: boolean;
  /** Restricts the list to active (true) or deactivated (false) accounts; absent: both. */
  readonly active?: boolean | undefined;
}

/** Accounts of one chunk: those whose ids are equal but for the lowest 8 bits. */
const CHUNK_ID_BITS = 8;
const CHUNK_ACCOUNTS = 1 << CHUNK_ID_BITS;
const chunkIndexOf = (id: UserId): number => Math.floor(id / CHUNK_ACCOUNTS);

/**
 * Maximum number of variants whose chunks stay in memory, each as large as the list. Clients of one kind ask for the
 * same one.
 */
const MAX_VARIANTS = 32;

/** The role that stands for all roles which see the same addresses as the viewer. */
function addressViewerRoleClass(viewer: DirectoryUser): number {
  if (viewer.role <= USER_ROLE.admin) return USER_ROLE.admin;
  if (viewer.role <= USER_ROLE.moderator) return USER_ROLE.moderator;
  return viewer.role <= USER_ROLE.member ? USER_ROLE.member : USER_ROLE.guest;
}

/** User objects of a chunk, each after a comma. */
class EncodedUserChunk {
  #withoutFirstComma: Uint8Array | undefined;

  constructor(readonly bytes: Uint8Array) {}

  /** The same object each time, by which compressed forms are found. */
  get withoutFirstComma(): Uint8Array {
    this.#withoutFirstComma ??= this.bytes.subarray(1);
    return this.#withoutFirstComma;
  }
}

/** Chunks of one variant, by index; a stale one is absent. */
type ChunksByIndex = Map<number, EncodedUserChunk>;

const LIST_START = Buffer.from('[');
const LIST_END = Buffer.from(']');

class EncodedUserListCache {
  #usersVersion = -1;
  #profilesVersion = -1;
  /** Indexes of the chunks that have accounts, ascending. */
  #chunkIndexes: readonly number[] = [];
  /**
   * Chunks by variant, least recently used first. A chunk whose accounts show their address to all is the same for all
   * classes of viewers, and stands under the variant alone; others stand under the class and the variant.
   */
  readonly #chunksByVariant = new Map<string, ChunksByIndex>();
  readonly #listByKey = new Map<string, EncodedJson>();
  readonly #viewerByRoleClass = new Map<number, DirectoryUser>();

  constructor(private readonly directory: DirectoryView) {}

  getOrEncodeListFor(viewer: DirectoryUser, options: UserListVariantOptions): EncodedJson {
    this.#dropStaleChunks();
    const anybody = this.#viewerOfClassOf(viewer);
    const {
      clientGravatar,
      profile = false,
      withoutActive = false,
      withoutAvatar = false,
      web = false,
      active,
    } = options;
    const variant = `${clientGravatar}/${profile}/${withoutActive}/${withoutAvatar}/${web}/${active}`;
    // A viewer whose role may not see the viewer's own address gets a list of their own, with that address.
    const own = maySeeRealEmail(anybody, viewer) ? undefined : viewer;
    const key = `${anybody.role}/${variant}`;
    const known = own ? undefined : this.#listByKey.get(key);
    if (known) return known;
    const forAll = this.#chunksOfVariant(variant);
    const forClass = this.#chunksOfVariant(key);
    const parts: Uint8Array[] = [LIST_START];
    for (const index of this.#chunkIndexes) {
      const chunk =
        own && index === chunkIndexOf(own.id)
          ? new EncodedUserChunk(this.#encodeChunk(this.#accountsOf(index), anybody, options, own))
          : this.#getOrEncodeChunk(index, forAll, forClass, anybody, options);
      if (chunk.bytes.byteLength > 0) parts.push(parts.length === 1 ? chunk.withoutFirstComma : chunk.bytes);
    }
    parts.push(LIST_END);
    // Where all accounts show their address, the class of viewers has no chunk of its own.
    if (forClass.size === 0) this.#chunksByVariant.delete(key);
    const list = new EncodedJson(parts);
    if (!own) this.#listByKey.set(key, list);
    return list;
  }

  /** Stand-in for all viewers who see the same addresses: what is shown depends on nothing else of the viewer. */
  #viewerOfClassOf(viewer: DirectoryUser): DirectoryUser {
    const role = addressViewerRoleClass(viewer);
    let anybody = this.#viewerByRoleClass.get(role);
    if (!anybody) {
      anybody = { ...viewer, id: toUserId(-1), role };
      this.#viewerByRoleClass.set(role, anybody);
    }
    return anybody;
  }

  /** Drops what changes of accounts and profiles since the last call have made stale. */
  #dropStaleChunks(): void {
    const { usersVersion, profilesVersion } = this.directory;
    if (this.#usersVersion === usersVersion && this.#profilesVersion === profilesVersion) return;
    const users = this.directory.usersChangedSince(this.#usersVersion);
    const profiles = this.directory.profilesChangedSince(this.#profilesVersion);
    this.#usersVersion = usersVersion;
    this.#profilesVersion = profilesVersion;
    this.#listByKey.clear();
    if (users && profiles) {
      const stale = new Set([...users, ...profiles].map(chunkIndexOf));
      for (const chunks of this.#chunksByVariant.values()) for (const index of stale) chunks.delete(index);
      if (![...users].every((id) => this.#chunkIndexes.includes(chunkIndexOf(id))))
        this.#chunkIndexes = [...new Set([...this.#chunkIndexes, ...users.map(chunkIndexOf)])].sort((a, b) => a - b);
    } else {
      this.#chunksByVariant.clear();
      const indexes = new Set<number>();
      for (const { id } of this.directory.users()) indexes.add(chunkIndexOf(id));
      this.#chunkIndexes = [...indexes].sort((a, b) => a - b);
    }
  }

  #chunksOfVariant(variant: string): ChunksByIndex {
    const chunks: ChunksByIndex = this.#chunksByVariant.get(variant) ?? new Map();
    this.#chunksByVariant.delete(variant);
    this.#chunksByVariant.set(variant, chunks);
    if (this.#chunksByVariant.size > MAX_VARIANTS) {
      const [oldest] = this.#chunksByVariant.keys();
      this.#chunksByVariant.delete(oldest!);
    }
    return chunks;
  }

  #getOrEncodeChunk(
    index: number,
    forAll: ChunksByIndex,
    forClass: ChunksByIndex,
    viewer: DirectoryUser,
    options: UserListVariantOptions,
  ): EncodedUserChunk {
    const known = forAll.get(index) ?? forClass.get(index);
    if (known) return known;
    const users = this.#accountsOf(index);
    const chunk = new EncodedUserChunk(this.#encodeChunk(users, viewer, options, undefined));
    const isSameForAll = users.every(({ emailVisibility }) => emailVisibility === 1);
    (isSameForAll ? forAll : forClass).set(index, chunk);
    return chunk;
  }

  /** Accounts of a chunk by id. */
  #accountsOf(index: number): DirectoryUser[] {
    const users: DirectoryUser[] = [];
    for (let id = index * CHUNK_ACCOUNTS; id < (index + 1) * CHUNK_ACCOUNTS; id++) {
      const user = this.directory.user(toUserId(id));
      if (user && !isSystemBot(user)) users.push(user);
    }
    return users;
  }

  /** @param own account that gets its own object, with the address that the class of viewers may not see */
  #encodeChunk(
    users: readonly DirectoryUser[],
    viewer: DirectoryUser,
    options: UserListVariantOptions,
    own: DirectoryUser | undefined,
  ): Uint8Array {
    const profile = options.profile ? this.directory : undefined;
    let text = '';
    for (const user of users) {
      if (options.active !== undefined && user.isActive !== options.active) continue;
      text += `,${JSON.stringify(formatUserForApi(user, user.id === own?.id ? own : viewer, { ...options, profile }))}`;
    }
    return Buffer.from(text);
  }
}

const encodedUserListCacheOf = memoizeByObject((directory: DirectoryView) => new EncodedUserListCache(directory));

/** JSON list of the organization's accounts, by id, as the viewer may see them. */
export const getEncodedUserList = (
  directory: DirectoryView,
  viewer: DirectoryUser,
  options: UserListVariantOptions,
): EncodedJson => encodedUserListCacheOf(directory).getOrEncodeListFor(viewer, options);
