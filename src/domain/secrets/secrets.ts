/**
 * Cryptography under the server secret: API keys (generated, found by keyed hash, encrypted at rest) and passwords.
 *
 * An API key carries the realm it belongs to, masked: its first six characters are the realm's number in base 62,
 * shifted by a keyed hash of the rest. So a frontend knows the directory of a key without an index over all realms,
 * and without the secret a key is 32 random characters. The 26 random characters hold 154 bits.
 */
import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  randomBytes,
  randomInt,
  scrypt,
  timingSafeEqual,
} from 'node:crypto';
import { type RealmId, toRealmId, type UserId } from '#model';

const BASE62_ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const REALM_ID_CHARACTERS = 6;
const REALM_ID_CODE_COUNT = 62 ** REALM_ID_CHARACTERS;
const API_KEY_CHARACTERS = 32;
/** Parameters of the scrypt hash: about 50 ms and 32 MiB on the machines of 2026; stored with each hash. */
const SCRYPT_COST_FOR_NEW_HASHES = { N: 1 << 15, r: 8, p: 1 } as const;

const DUMMY_PASSWORD_SALT = Buffer.alloc(16);

export class ServerCryptography {
  readonly #lookupHashKey: Buffer;
  readonly #sealingKey: Buffer;
  readonly #realmMaskKey: Buffer;
  readonly #signingKey: Buffer;
  readonly #avatarHashKey: Buffer;
  readonly #deterministicVectorKey: Buffer;
  /** Key that signs addresses of external pictures (`src/frontend/image-proxy`). */
  readonly imageProxyKey: string;
  /** Seed of the key pair by which push services know this server (`src/domain/push/vapid.ts`). */
  readonly pushKeySeed: Buffer;
  /** One-way fingerprint of the secret. The Store keeps it, to detect a start with another secret. */
  readonly secretFingerprint: string;

  /**
   * Derives all keys from the secret.
   *
   * @param secret the server's secret, at least 16 characters; all processes of a cluster must share it
   */
  constructor(secret: string) {
    if (secret.length < 16) throw new Error('the server secret must have at least 16 characters');
    const derive = (purpose: string): Buffer => createHmac('sha256', secret).update(`conclave/${purpose}`).digest();
    this.#lookupHashKey = derive('key-hash');
    this.#sealingKey = derive('key-seal');
    this.#realmMaskKey = derive('key-realm');
    this.#signingKey = derive('signature');
    this.#avatarHashKey = derive('avatar');
    this.#deterministicVectorKey = derive('seal-vector');
    this.imageProxyKey = derive('image-proxy').toString('hex');
    this.pushKeySeed = derive('push-key');
    this.secretFingerprint = createHmac('sha256', derive('check')).update('conclave').digest('base64url');
  }

  makeRandomApiKey(realm: RealmId): string {
    let tail = '';
    for (let i = REALM_ID_CHARACTERS; i < API_KEY_CHARACTERS; i++) tail += BASE62_ALPHABET[randomInt(62)];
    return this.#maskRealmIntoApiKey(realm, tail);
  }

  /**
   * Makes an API key from random bytes, at least 26: the same bytes give the same key. An import derives the bytes, so
   * that its repeat after a crash gives every account the key that it has already.
   */
  makeApiKeyFromBytes(realm: RealmId, bytes: Uint8Array): string {
    let tail = '';
    for (let i = REALM_ID_CHARACTERS; i < API_KEY_CHARACTERS; i++)
      tail += BASE62_ALPHABET[bytes[i - REALM_ID_CHARACTERS]! % 62];
    return this.#maskRealmIntoApiKey(realm, tail);
  }

  #maskRealmIntoApiKey(realm: RealmId, tail: string): string {
    let n = (realm + this.#realmMaskOfKeyTail(tail)) % REALM_ID_CODE_COUNT;
    let head = '';
    for (let i = 0; i < REALM_ID_CHARACTERS; i++) {
      head = BASE62_ALPHABET[n % 62] + head;
      n = Math.floor(n / 62);
    }
    return head + tail;
  }

  /** Number of the realm that a well-formed API key names. A forged key names some number too. */
  decodeRealmOfApiKey(key: string): RealmId {
    let n = 0;
    for (let i = 0; i < REALM_ID_CHARACTERS; i++) n = n * 62 + BASE62_ALPHABET.indexOf(key[i]!);
    return toRealmId(
      (n - this.#realmMaskOfKeyTail(key.slice(REALM_ID_CHARACTERS)) + REALM_ID_CODE_COUNT) % REALM_ID_CODE_COUNT,
    );
  }

  /** Keyed hash of an API key, hexadecimal; directories hold it instead of the key. */
  hashApiKeyOrToken(key: string): string {
    return createHmac('sha256', this.#lookupHashKey).update(key).digest('hex').slice(0, 40);
  }

  /** Signature of a text: 22 characters of base64url (132 bits). A text must begin with its purpose. */
  signPurposePrefixedText(text: string): string {
    return createHmac('sha256', this.#signingKey).update(text).digest('base64url').slice(0, 22);
  }

  /** 40 hex digits that stand for an account in addresses of its avatar. They can't be enumerated. */
  avatarHashOfUser(realm: RealmId, user: UserId): string {
    return createHmac('sha1', this.#avatarHashKey).update(`${realm}/${user}`).digest('hex');
  }

  /** Encrypts a text for the Store (AES-256-GCM, base64). */
  seal(text: string): string {
    return this.#sealWithInitializationVector(text, randomBytes(12));
  }

  /** Encrypts a text like `seal`, but the same text gives the same result: for handlers, which have no randomness. */
  sealDeterministic(text: string): string {
    return this.#sealWithInitializationVector(
      text,
      createHmac('sha256', this.#deterministicVectorKey).update(text).digest().subarray(0, 12),
    );
  }

  #sealWithInitializationVector(text: string, iv: Buffer): string {
    const cipher = createCipheriv('aes-256-gcm', this.#sealingKey, iv);
    const body = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
    return Buffer.concat([iv, cipher.getAuthTag(), body]).toString('base64');
  }

  /** Decrypts a sealed text. @throws when the text was sealed under another secret or was changed */
  unseal(sealed: string): string {
    const bytes = Buffer.from(sealed, 'base64');
    const decipher = createDecipheriv('aes-256-gcm', this.#sealingKey, bytes.subarray(0, 12));
    decipher.setAuthTag(bytes.subarray(12, 28));
    return Buffer.concat([decipher.update(bytes.subarray(28)), decipher.final()]).toString('utf8');
  }

  /** Decrypts a sealed text as `open` does, but returns undefined instead of throwing. */
  unsealOrUndefined(sealed: string): string | undefined {
    try {
      return this.unseal(sealed);
    } catch {
      return undefined;
    }
  }

  /** Hash of a password for the Store, with its salt and parameters. */
  async hashPassword(password: string): Promise<string> {
    const salt = randomBytes(16);
    const hash = await derivePasswordHash(password, salt, SCRYPT_COST_FOR_NEW_HASHES);
    return `scrypt$${SCRYPT_COST_FOR_NEW_HASHES.N}$${SCRYPT_COST_FOR_NEW_HASHES.r}$${SCRYPT_COST_FOR_NEW_HASHES.p}$${salt.toString('base64')}$${hash.toString('base64')}`;
  }

  /** True if a password is right. False if the account has no password, after the same time as for a wrong one. */
  async verifyPassword(password: string, stored: string | null): Promise<boolean> {
    const [scheme, N, r, p, salt, hash] = (stored ?? '').split('$');
    if (scheme !== 'scrypt' || !salt || !hash) {
      await derivePasswordHash(password, DUMMY_PASSWORD_SALT, SCRYPT_COST_FOR_NEW_HASHES);
      return false;
    }
    const expected = Buffer.from(hash, 'base64');
    const actual = await derivePasswordHash(password, Buffer.from(salt, 'base64'), {
      N: Number(N),
      r: Number(r),
      p: Number(p),
    });
    return timingSafeEqual(actual, expected);
  }

  #realmMaskOfKeyTail(tail: string): number {
    return createHmac('sha256', this.#realmMaskKey).update(tail).digest().readUIntBE(0, 6) % REALM_ID_CODE_COUNT;
  }
}

function derivePasswordHash(
  password: string,
  salt: Buffer,
  cost: { N: number; r: number; p: number },
): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    scrypt(password, salt, 32, { ...cost, maxmem: 128 * cost.N * cost.r * 2 }, (error, key) =>
      error ? reject(error) : resolve(key),
    );
  });
}
