/**
 * `conclave import` and `conclave export`: an organization is read from, or written in, the export format of the API's
 * original server.
 */
import { mkdir, mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises';
import { availableParallelism, tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { AdminError, listRealms, requireRealmBySubdomain } from '#app/admin';
import { isClusterConfig, type ServerConfig } from '#app/config';
import {
  convertSlackExportToFolder,
  EXPORT_ARCHIVE_NAME_PATTERN,
  exportOrganizationToArchive,
  exportOrganizationToFolder,
  isSlackExport,
  type OrganizationImportReport,
  readExportSource,
  runOrganizationImportOrDryRun,
  sumCountsByReason,
  unpackExportArchive,
} from '#app/exchange';
import type { Logger } from '#base';
import { castToDirectorySnapshot } from '#directory';
import { productEmojiForm } from '#domain/emoji';
import { findSubdomainProblemText, toEmailAddressWithAsciiDomain } from '#domain/people';
import { PasswordStrengthThread } from '#domain/secrets';
import { siteUrlOfRealm } from '#frontend/gateway';
import { realmActorKey } from '#model';
import { realmActorCommands } from '#model/commands';
import { runWithActorClient, runWithActorClientOrNewData } from './actors.js';
import { type CliActionsOf, runUntilInterrupted } from './command.js';
import type { CliOptionsOf } from './declarations.js';
import {
  dropUnfinishedImportOrThrow,
  makeActorBackedImportTarget,
  openStoreBesideRunningServer,
} from './exchange-target.js';
import { ImportLeaseHolder } from './import-lease.js';
import { CliUsageError } from './usage.js';

export const IMPORT_AND_EXPORT_COMMAND_ACTIONS: CliActionsOf<'import' | 'export'> = {
  import: (config, options, logger, [file]) => runImportOrDropCommand(config, options, logger, file),
  export: (config, { subdomain }, logger, [file = '']) => runExportCommand(config, subdomain, logger, file),
};

/** Names of archives, also of kinds that an export does not write. */
const ANY_ARCHIVE_NAME_PATTERN = /\.(tar|gz|tgz|zip|7z|rar|bz2|tbz2?|xz|txz|zst|tzst|lz4?|br)$/i;

/** Checks that an export would replace nothing. @returns true for an archive, false for a folder @throws AdminError */
async function requireFreeExportTarget(target: string): Promise<boolean> {
  const isArchive = EXPORT_ARCHIVE_NAME_PATTERN.test(target);
  if (!isArchive && ANY_ARCHIVE_NAME_PATTERN.test(target)) {
    throw new AdminError(
      `${target}: an export is written into a folder, or into an archive whose name ends in .tar.gz or .tgz`,
    );
  }
  const statOrUndefined = (path: string) => stat(path).catch(() => undefined);
  const parent = dirname(target);
  if (!(await statOrUndefined(parent))?.isDirectory()) throw new AdminError(`there is no folder ${parent}`);
  const found = await statOrUndefined(target);
  if (found && (isArchive || !found.isDirectory()))
    throw new AdminError(`${target} exists already: remove it first, or give another name`);
  if (found && (await readdir(target)).length > 0)
    throw new AdminError(`${target} is not empty: an export needs an empty folder, or a name that ends in .tar.gz`);
  return isArchive;
}

/** Removes the files of a failed export from its folder, which was empty or missing before. */
async function emptyExportFolder(folder: string): Promise<void> {
  for (const name of await readdir(folder).catch(() => []))
    await rm(join(folder, name), { recursive: true, force: true });
}

/**
 * Runs `conclave export`. A file name that ends like an archive's makes an archive; any other makes a folder, which
 * must not exist or be empty.
 */
async function runExportCommand(
  config: ServerConfig,
  subdomain: string | undefined,
  logger: Logger,
  file: string,
): Promise<void> {
  const target = resolve(file);
  const isArchive = await requireFreeExportTarget(target);
  await runWithActorClient(config, logger, async (actors) => {
    const { id: realm } = await requireRealmBySubdomain(actors, subdomain, 'subdomain');
    const opened = await openStoreBesideRunningServer(config);
    try {
      const source = await readExportSource({
        store: opened.store,
        blobs: opened.blobs.makeBulkReader(),
        realm,
        productEmoji: productEmojiForm(config.emojiNames),
        readSnapshot: async () =>
          castToDirectorySnapshot(
            await actors.sendForValueOrThrow(realmActorKey(realm), realmActorCommands.snapshot, {}),
          ),
      });
      const write = isArchive ? exportOrganizationToArchive : exportOrganizationToFolder;
      const rows = await runUntilInterrupted((signal) =>
        write(source, target, { usesThread: true, onThreadLoaded: tuneGarbageCollection, signal }).catch(
          async (error: unknown) => {
            if (!isArchive) await emptyExportFolder(target);
            throw signal.aborted ? new AdminError('the export was interrupted: nothing is left of it') : error;
          },
        ),
      );
      for (const [table, count] of rows)
        if (count > 0) process.stdout.write(`${String(count).padStart(9)}  ${table}\n`);
    } finally {
      await opened.close();
    }
  });
}

/**
 * Growth of the heap after which V8 collects garbage again, percent. Little of what an import or export allocates stays
 * alive, and by default V8 would let the heap grow to three times its live size.
 */
const MAX_HEAP_GROWTH_PERCENT = 80;

/**
 * Number of cores from which V8 collects young objects with several threads. The threads of an import keep fewer cores
 * busy themselves: there V8's threads wait for one another, which takes 4 % of the CPU.
 */
const MIN_CORES_FOR_PARALLEL_COLLECTION = 4;

/**
 * Sets flags of V8 for all threads of the process. The threads load before, because V8 leaves a code cache aside when
 * it was made with other flags (src/launch.ts).
 */
function tuneGarbageCollection(): void {
  setFlagsFromString(`--heap-growing-percent=${MAX_HEAP_GROWTH_PERCENT}`);
  if (availableParallelism() < MIN_CORES_FOR_PARALLEL_COLLECTION) setFlagsFromString('--no-parallel-scavenge');
}

async function runImportOrDropCommand(
  config: ServerConfig,
  options: CliOptionsOf<'import'>,
  logger: Logger,
  file?: string,
): Promise<void> {
  const { subdomain } = options;
  const problem = subdomain === '' ? undefined : findSubdomainProblemText(subdomain);
  if (problem !== undefined) throw new AdminError(problem);
  if (options.drop) {
    const { check, passwords, site } = options;
    const others = [file, check, passwords, site, options['no-invitations'], options['former-site']];
    if (others.some((given) => given !== undefined)) throw new CliUsageError('--drop takes --subdomain alone');
    return runWithActorClient(config, logger, (actors) => dropUnfinishedImportOrThrow(config, actors, subdomain));
  }
  if (file === undefined) throw new CliUsageError('usage: conclave import FILE|DIR --subdomain NAME');
  requireHttpUrlIfGiven(options['former-site']);
  const passwords = await readPasswordsByEmail(options.passwords);
  const work = await makeTemporaryImportFolder(config);
  try {
    const folder = (await stat(resolve(file)).catch(() => undefined))?.isDirectory()
      ? resolve(file)
      : await unpackArchiveToWorkFolder(file, work);
    const isSlack = await isSlackExport(folder);
    if (isSlack && options['former-site'] !== undefined)
      throw new AdminError('--former-site has no meaning for a Slack export: its links are kept as they are');
    const { source, leftOut } = isSlack
      ? await convertSlackExportInWorkFolder(folder, work)
      : { source: folder, leftOut: new Map<string, number>() };
    await runWithActorClientOrNewData(config, logger, async (actors, secrets) => {
      if ((await listRealms(actors)).some((realm) => realm.subdomain === subdomain)) {
        throw new AdminError(`an organization with the subdomain '${subdomain}' exists already`);
      }
      const opened = options.check ? undefined : await openStoreBesideRunningServer(config);
      const lease = new ImportLeaseHolder(actors, subdomain);
      try {
        const { externalScheme: scheme, externalHost, host, port } = config;
        const report = await runOrganizationImportOrDryRun({
          folder: source,
          workFolder: work,
          subdomain,
          origin:
            options.site ??
            siteUrlOfRealm({ scheme, externalHost, listenAddress: host, listenPort: port }, '', subdomain),
          formerSite: options['former-site'],
          secrets,
          extraEmoji: productEmojiForm(config.emojiNames),
          imageProxyKey: config.imageProxy === 'on' ? secrets.imageProxyKey : '',
          passwords,
          isInviting: !options['no-invitations'],
          target: opened && makeActorBackedImportTarget(actors, opened, lease),
          progress: makeProgressBarPrinter(),
          onThreadsLoaded: tuneGarbageCollection,
        });
        const whole = { ...report, leftOut: sumCountsByReason(leftOut, report.leftOut) };
        process.stdout.write(formatImportReport(whole, options.check === true));
      } finally {
        await lease.release();
        await opened?.close();
      }
    });
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}

function requireHttpUrlIfGiven(formerSite: string | undefined): void {
  if (formerSite !== undefined && !(/^https?:/i.test(formerSite) && URL.canParse(formerSite)))
    throw new CliUsageError(`--former-site: '${formerSite}' is no address with https:// or http://`);
}

async function unpackArchiveToWorkFolder(file: string, work: string): Promise<string> {
  await unpackExportArchive(resolve(file), work).catch((error: NodeJS.ErrnoException) => {
    throw error.code === 'ENOENT' ? new AdminError(`there is no ${file}`) : error;
  });
  return work;
}

interface ConvertedSlackExport {
  /** Folder of the export in the form in which it is imported. */
  readonly source: string;
  readonly leftOut: ReadonlyMap<string, number>;
}

async function convertSlackExportInWorkFolder(folder: string, work: string): Promise<ConvertedSlackExport> {
  const source = join(work, 'converted-from-slack');
  return { source, leftOut: await convertSlackExportToFolder(folder, source) };
}

/** Makes a temporary folder for the files of an archive; the folder is removed at the end. */
async function makeTemporaryImportFolder(config: ServerConfig): Promise<string> {
  if (isClusterConfig(config)) return mkdtemp(join(tmpdir(), 'conclave-import-'));
  const folder = join(config.dataDir, 'import');
  await mkdir(folder, { recursive: true, mode: 0o700 });
  return mkdtemp(join(folder, 'unpacked-'));
}

/** Reads lines of an e-mail address and a password. @throws AdminError, also for a password that is too weak */
async function readPasswordsByEmail(file: string | undefined): Promise<ReadonlyMap<string, string>> {
  const passwords = new Map<string, string>();
  if (file === undefined) return passwords;
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw new AdminError(`${file} can't be read: ${error.code}`);
  });
  const strength = new PasswordStrengthThread();
  try {
    for (const [i, line] of text.split(/\r?\n/).entries()) {
      if (line.trim() === '') continue;
      const [, email, password] = /^\s*(\S+@\S+)\s+(.+)$/.exec(line) ?? [];
      if (email === undefined || password === undefined)
        throw new AdminError(`${file}, line ${i + 1}: not an address and a password`);
      if (!(await strength.isStrongEnough(password, [email])))
        throw new AdminError(`${file}, line ${i + 1}: the password is too weak`);
      passwords.set(toEmailAddressWithAsciiDomain(email).toLowerCase(), password);
    }
  } finally {
    await strength.close();
  }
  return passwords;
}

const PROGRESS_BAR_CHARACTERS = 30;

/** Makes a progress bar that shows how many message files are done, on a terminal only. */
function makeProgressBarPrinter(): (done: number, all: number) => void {
  if (!process.stderr.isTTY) return () => undefined;
  return (done, all) => {
    const filled = Math.round((done / all) * PROGRESS_BAR_CHARACTERS);
    const bar = `${'█'.repeat(filled)}${'░'.repeat(PROGRESS_BAR_CHARACTERS - filled)}`;
    process.stderr.write(`\r${bar} ${done} of ${all} files of messages${done === all ? '\n' : ''}`);
  };
}

function formatImportReport({ counts, leftOut }: OrganizationImportReport, check: boolean): string {
  const lines = (of: ReadonlyMap<string, number>): string =>
    [...of].map(([name, count]) => `  ${String(count).padStart(9)}  ${name}\n`).join('');
  const left = leftOut.size === 0 ? 'Nothing was left out.\n' : `Left out:\n${lines(leftOut)}`;
  return `${check ? 'Would be imported' : 'Imported'}:\n${lines(counts)}${left}`;
}
