/** An import from its first row to the open organization, or a dry run of it. */
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { RealmDirectory } from '#directory';
import { MessageRenderer } from '#domain/messages';
import { isCalledBot } from '#domain/people';
import type { ServerCryptography } from '#domain/secrets';
import { type ActorKey, type ExtraEmoji, realmId, realmKey, userId } from '#model';
import type { ImportReservation } from '#model/commands';
import type { MessageRecord } from '#model/records';
import type { Blobs } from '#ports/blobs';
import type { Store } from '#ports/store';
import { ExportFolder } from '../format/folder.js';
import { ExchangeProblem } from '../format/problem.js';
import { Copies, type FinishedStream } from '../tables/copies.js';
import { Uploads } from '../tables/files.js';
import { UserMarks } from '../tables/flags.js';
import { importScheduled, MessageImport, readMessageFile } from '../tables/messages.js';
import { addFormerSubscription, replaceStream } from '../tables/streams.js';
import type { ImportFacts, OrganizationDraft } from './draft.js';
import { assignMessageIds, draftOrganization, readReactions, readTables, storePictures, type Tables } from './read.js';
import { snapshotOf, writeOrganization } from './write.js';

/** Name of the part that counts the message files that are stored. No kind of actor loads it. */
const PROGRESS_PART = 'import-progress';

export interface ImportTarget {
  readonly store: Store;
  readonly blobs: Blobs;
  /** Reserves the organization, or finds the reservation of an earlier try. */
  begin(source: string): Promise<ImportReservation>;
  /** Gives the reservation up: the export can't be imported. */
  abandon(): Promise<void>;
  /** Makes the organization visible. @param timed actors that have a timer */
  open(deactivated: boolean, timed: readonly ActorKey[], realm: ImportFacts['realm']): Promise<void>;
}

export interface ImportOptions {
  /** Folder of the export. */
  readonly folder: string;
  readonly subdomain: string;
  readonly origin: string;
  readonly formerSite?: string | undefined;
  readonly secrets: ServerCryptography;
  readonly extraEmoji: ExtraEmoji;
  /** '' = no image proxy. */
  readonly imageProxyKey: string;
  /** Password by address in lower case. */
  readonly passwords: ReadonlyMap<string, string>;
  /** undefined: a dry run. */
  readonly target: ImportTarget | undefined;
  /** Told after each message file. */
  readonly progress?: (done: number, all: number) => void;
}

export interface ImportReport {
  readonly counts: ReadonlyMap<string, number>;
  readonly leftOut: ReadonlyMap<string, number>;
}

/** @throws ExchangeProblem for an export that can't be imported: nothing of it is visible then */
export async function runImport(options: ImportOptions): Promise<ImportReport> {
  const folder = new ExportFolder(options.folder);
  const tables = await readTables(folder);
  const reserved = await options.target?.begin(await fingerprint(options.folder));
  const facts: ImportFacts = {
    realm: realmId(reserved?.realm ?? 1),
    seed: reserved?.seed ?? 'dry run',
    begun: reserved?.begun ?? Date.now(),
    subdomain: options.subdomain,
    origin: options.origin,
    formerSite: options.formerSite,
  };
  const renderer = new MessageRenderer(options.imageProxyKey);
  try {
    const draft = await draftOrganization(folder, tables, facts, options.secrets);
    return await new Import(options, folder, tables, draft, renderer).run();
  } catch (error) {
    // A repeat would meet the same problem. Stored records stay under a number that no organization gets.
    if (error instanceof ExchangeProblem) await options.target?.abandon();
    throw error;
  } finally {
    await renderer.close();
  }
}

/** Hash of the organization's tables: another export is not the continuation of an import that has not ended. */
async function fingerprint(folder: string): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(join(folder, 'realm.json')), hash);
  return hash.digest('hex');
}

class Import {
  readonly #copies: Copies;
  readonly #marks = new UserMarks();
  readonly #uploads: Uploads;

  constructor(
    private readonly options: ImportOptions,
    private readonly folder: ExportFolder,
    private readonly tables: Tables,
    private readonly draft: OrganizationDraft,
    private readonly renderer: MessageRenderer,
  ) {
    this.#copies = new Copies(draft);
    this.#uploads = new Uploads(draft);
  }

  async run(): Promise<ImportReport> {
    const { draft, folder, tables, options } = this;
    const { target } = options;
    const files = await assignMessageIds(folder, draft);
    this.#mapIdle();
    await this.#uploads.import(folder, target?.blobs);
    if (target) await storePictures(folder, tables, target.blobs, draft);
    const reactions = await readReactions(folder, draft);
    const directory = new RealmDirectory(draft.facts.realm, snapshotOf(draft), options.extraEmoji);
    const messages = new MessageImport(
      draft,
      directory,
      this.renderer,
      reactions,
      this.#uploads,
      this.#copies,
      this.#marks,
    );
    await this.#importScheduled(directory);
    await this.#importMessages(files, messages);
    const streams = this.#finishStreams(messages);
    this.#finishUsers();
    if (target) {
      const passwords = await this.#hashPasswords();
      const timed = await writeOrganization(target.store, { draft, messages, streams, passwords });
      await target.open(draft.deactivated, timed, draft.facts.realm);
    }
    return { counts: draft.counts, leftOut: draft.leftOut.all };
  }

  async #importScheduled(directory: RealmDirectory): Promise<void> {
    const last = new Map<number, number>();
    for (const row of this.tables.get('zerver_scheduledmessage') ?? []) {
      await importScheduled(
        row,
        this.draft,
        (user) => {
          const next = (last.get(user) ?? (user % 2 ** 19) * 4_096) + 1;
          last.set(user, next);
          return next;
        },
        (content, sender) => this.renderer.render(content, directory, this.draft.facts.origin, sender),
      );
    }
  }

  /** An account that was away has rows up to a message; converters write 1 for "none". */
  #mapIdle(): void {
    for (const [user, { since }] of this.draft.idle) {
      if (this.draft.messages.count === 0) this.draft.idle.delete(user);
      else this.draft.idle.set(user, { since });
    }
  }

  async #importMessages(files: readonly string[], messages: MessageImport): Promise<void> {
    const { target, progress } = this.options;
    const { realm } = this.draft.facts;
    const key = realmKey(realm);
    const [stored] = target ? await target.store.getParts([{ key, part: PROGRESS_PART }]) : [];
    const done = Number(stored?.value ?? 0);
    for (const [i, name] of files.entries()) {
      const placed = (await readMessageFile(this.folder, name, this.draft)).flatMap(
        ({ row, rows }) => messages.place(row, rows) ?? [],
      );
      this.draft.count('messages', placed.length);
      if (target && i >= done) {
        const records: MessageRecord[] = [];
        for (const one of placed) records.push(await messages.record(one));
        await target.store.apply(
          records.map((value) => ({ type: 'message', realm, id: value.id, rev: 1, value }) as const),
        );
        await target.store.apply([{ type: 'part', key, part: PROGRESS_PART, rev: i + 1, value: i + 1 }]);
      }
      progress?.(i + 1, files.length);
    }
  }

  #finishStreams(messages: MessageImport): Map<number, FinishedStream> {
    const { draft } = this;
    const active = new Set<number>(draft.records.users.filter(({ isActive }) => isActive).map(({ id }) => id));
    const silent = new Set<number>(draft.records.users.filter(isCalledBot).map(({ id }) => id));
    const streams = new Map<number, FinishedStream>();
    for (const { id } of [...draft.records.streams]) {
      const finished = this.#copies.finish(id, (user) => active.has(user), silent);
      streams.set(id, finished);
      for (const user of finished.members.keys()) addFormerSubscription(user, id, draft);
      replaceStream(draft, id, { firstMessage: messages.first.get(id) ?? null });
    }
    return streams;
  }

  #finishUsers(): void {
    for (const [user, ids] of this.#copies.single) for (const id of ids) this.#marks.mark(user, 'copied', id);
    for (const { id } of this.draft.records.users) this.draft.addUserParts(id, this.#marks.partsOf(id));
    this.#uploads.finish();
  }

  async #hashPasswords(): Promise<Map<number, string>> {
    const hashed = new Map<number, string>();
    for (const { id, deliveryEmail } of this.draft.records.users) {
      const password = this.options.passwords.get(deliveryEmail.toLowerCase());
      if (password !== undefined) hashed.set(userId(id), await this.options.secrets.hashPassword(password));
    }
    return hashed;
  }
}
