/**
 * The record of an account in a directory, in a third of the memory of the object that a decoder makes. Replicas of
 * 100,000 accounts consist of little else.
 *
 * - Flags and small numbers share one number; a number above 2^31 would be an object of its own.
 * - Addresses that are equal are one text; an API key's hash is kept in 32 characters instead of 64.
 * - Fields that are equal for most accounts are one shared object.
 *
 * All fields are read through accessors, so a record can't be copied by `{ ...user }`, nor sent as it is.
 */
import type { UserId } from '#model';
import type { AvatarUploadRecord, DirectoryUser } from '#model/records';
import { copyText, packHash, unpackHash } from './compact-text.js';
import { SharedValues } from './shared-values.js';

/** Fields that most accounts have in common. */
type CommonFields = Pick<
  DirectoryUser,
  'botOwner' | 'timezone' | 'avatarSource' | 'avatarVersion' | 'avatar' | 'pastRoles' | 'rateLimits'
>;

/** Keeps one object for records whose common fields are equal. */
export class CommonFieldsPool {
  readonly #shared = new SharedValues<CommonFields>();
  /** Those of the last record: the next one mostly has the same. */
  #last: CommonFields | undefined;

  share({
    botOwner,
    timezone,
    avatarSource,
    avatarVersion,
    avatar,
    pastRoles,
    rateLimits,
  }: DirectoryUser): CommonFields {
    const fields: CommonFields = {
      botOwner,
      timezone,
      avatarSource,
      avatarVersion,
      pastRoles,
      ...(avatar === undefined ? {} : { avatar }),
      ...(rateLimits === undefined ? {} : { rateLimits }),
    };
    // An uploaded avatar is that of one account.
    if (avatar) return fields;
    if (this.#last && areEqual(this.#last, fields)) return this.#last;
    this.#last = this.#shared.share(fields);
    return this.#last;
  }
}

/** Compares fields whose lists are empty; those of others count as different. */
const areEqual = (a: CommonFields, b: CommonFields): boolean =>
  a.timezone === b.timezone &&
  a.avatarVersion === b.avatarVersion &&
  a.botOwner === b.botOwner &&
  a.avatarSource === b.avatarSource &&
  a.avatar === b.avatar &&
  a.rateLimits === b.rateLimits &&
  a.pastRoles.length === 0 &&
  b.pastRoles.length === 0;

/** Role, botType (0: null) and emailVisibility; above them flags, and the milliseconds of the creation time. */
const ROLE_BITS = 10;
const BOT_TYPE_SHIFT = ROLE_BITS;
const VISIBILITY_SHIFT = BOT_TYPE_SHIFT + 3;
const ACTIVE_FLAG = 1 << (VISIBILITY_SHIFT + 3);
const BILLING_FLAG = ACTIVE_FLAG << 1;
const PACKED_HASH_FLAG = ACTIVE_FLAG << 2;
const JOINED_MS_SHIFT = VISIBILITY_SHIFT + 6;
const MAX_ROLE = (1 << ROLE_BITS) - 1;
const MAX_SMALL_NUMBER = 7;
const MS_MASK = 1_023;
/** Creation times up to this one fit into whole seconds of 31 bits: 2038. */
const MAX_JOINED_MS = (2 ** 31 - 1) * 1_000;

/** True if the numbers of a record have the sizes that fit. A newer version of the server may know others. */
const fitsIntoFlags = ({ role, botType, emailVisibility, joined }: DirectoryUser): boolean =>
  isWithin(role, MAX_ROLE) &&
  botType !== 0 &&
  isWithin(botType ?? 0, MAX_SMALL_NUMBER) &&
  isWithin(emailVisibility, MAX_SMALL_NUMBER) &&
  isWithin(joined, MAX_JOINED_MS);

const isWithin = (n: number, max: number): boolean => Number.isInteger(n) && n >= 0 && n <= max;

class CompactUser implements DirectoryUser {
  readonly id: UserId;
  readonly recipient: number;
  readonly deliveryEmail: string;
  readonly email: string;
  readonly fullName: string;
  readonly #joinedSeconds: number;
  readonly #keyHash: string;
  readonly #flags: number;
  readonly #common: CommonFields;

  constructor(of: DirectoryUser, common: CommonFields) {
    this.id = of.id;
    this.recipient = of.recipient;
    this.deliveryEmail = copyText(of.deliveryEmail);
    this.email = of.email === of.deliveryEmail ? this.deliveryEmail : copyText(of.email);
    this.fullName = copyText(of.fullName);
    this.#joinedSeconds = Math.floor(of.joined / 1_000);
    const packedHash = packHash(of.keyHash);
    this.#keyHash = packedHash ?? copyText(of.keyHash);
    this.#flags =
      of.role |
      ((of.botType ?? 0) << BOT_TYPE_SHIFT) |
      (of.emailVisibility << VISIBILITY_SHIFT) |
      (of.isActive ? ACTIVE_FLAG : 0) |
      (of.isBillingAdmin ? BILLING_FLAG : 0) |
      (packedHash === undefined ? 0 : PACKED_HASH_FLAG) |
      ((of.joined % 1_000) << JOINED_MS_SHIFT);
    this.#common = common;
  }

  get keyHash(): string {
    return this.#flags & PACKED_HASH_FLAG ? unpackHash(this.#keyHash) : this.#keyHash;
  }

  get joined(): number {
    return this.#joinedSeconds * 1_000 + ((this.#flags >>> JOINED_MS_SHIFT) & MS_MASK);
  }

  get role(): number {
    return this.#flags & MAX_ROLE;
  }

  get botType(): number | null {
    return (this.#flags >> BOT_TYPE_SHIFT) & MAX_SMALL_NUMBER || null;
  }

  get emailVisibility(): number {
    return (this.#flags >> VISIBILITY_SHIFT) & MAX_SMALL_NUMBER;
  }

  get isActive(): boolean {
    return (this.#flags & ACTIVE_FLAG) !== 0;
  }

  get isBillingAdmin(): boolean {
    return (this.#flags & BILLING_FLAG) !== 0;
  }

  get botOwner(): UserId | null {
    return this.#common.botOwner;
  }

  get timezone(): string {
    return this.#common.timezone;
  }

  get avatarSource(): 'G' | 'U' {
    return this.#common.avatarSource;
  }

  get avatarVersion(): number {
    return this.#common.avatarVersion;
  }

  get avatar(): AvatarUploadRecord | null {
    return this.#common.avatar ?? null;
  }

  get pastRoles(): DirectoryUser['pastRoles'] {
    return this.#common.pastRoles;
  }

  get rateLimits(): string | undefined {
    return this.#common.rateLimits;
  }
}

/** Compact copy of the record; the record itself if one of its values doesn't fit into the compact form. */
export const compactUser = (user: DirectoryUser, pool: CommonFieldsPool): DirectoryUser =>
  fitsIntoFlags(user) ? new CompactUser(user, pool.share(user)) : user;
