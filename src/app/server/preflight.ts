/**
 * Checks what the configuration refers to on this machine: folders, files, addresses. `conclave serve` and
 * `conclave check-config` run the same checks, so both refuse the same configurations. The checks leave nothing behind.
 */
import { constants } from 'node:fs';
import { access, mkdtemp, rmdir, stat } from 'node:fs/promises';
import { createServer } from 'node:net';
import { dirname, join, resolve } from 'node:path';
import { excessBytesOfDataDirPath } from '#app/admin';
import { SERVER_SETTING_DECLARATIONS, type ServerConfig, ServerConfigError, type ServerSettingName } from '#app/config';
import { createMongoClient } from '#ports/store';
import { describeFileError } from './data-dir.js';

/** Name of a setting for messages: option and environment variable, because the operator may have used either. */
const formatSettingOption = (name: ServerSettingName): string =>
  `--${SERVER_SETTING_DECLARATIONS[name].option} (${SERVER_SETTING_DECLARATIONS[name].env})`;

/** Maximum of bytes of the file of disposable domains; a larger file can't be a list of domains. */
const MAX_DISPOSABLE_DOMAINS_FILE_BYTES = 64 * 1_048_576;
/** Error codes of conditions that may pass: a later start may succeed. */
const TRANSIENT_FILE_ERROR_CODES = ['ENOSPC', 'EDQUOT', 'EMFILE', 'ENFILE'];

type PreflightProblem = string | undefined;

/**
 * Checks the folders, files and addresses of the configuration.
 *
 * @throws ServerConfigError for problems that a repeated start can't solve
 * @throws Error for a TCP port that another process uses now
 */
export async function runPreflightChecks(config: ServerConfig): Promise<void> {
  const problems = [
    findSamePortProblem(config),
    findMongoUrlProblem(config),
    config.nats === undefined ? await findDataDirProblem(config) : undefined,
    await findDisposableDomainsFileProblem(config),
  ];
  const ports = await Promise.all([
    config.role === 'actors' ? undefined : findListenAddressProblem(config, 'host', 'port'),
    findListenAddressProblem(config, 'opsHost', 'opsPort'),
  ]);
  const wrong = [...problems, ...ports.map((found) => found?.wrong)].filter((problem) => problem !== undefined);
  if (wrong.length > 0) throw new ServerConfigError(wrong.join('\n'));
  for (const found of ports) if (found?.taken) throw new Error(found.taken);
}

function findSamePortProblem({ role, host, port, opsHost, opsPort }: ServerConfig): PreflightProblem {
  if (role === 'actors' || port === 0 || port !== opsPort) return undefined;
  const every = ['0.0.0.0', '::'];
  if (host !== opsHost && !every.includes(host) && !every.includes(opsHost)) return undefined;
  return `${formatSettingOption('opsPort')}: must differ from ${formatSettingOption('port')} (given: ${opsPort})`;
}

/** Checks the address of MongoDB with MongoDB's driver, whose error messages name options, but no passwords. */
function findMongoUrlProblem({ mongodb }: ServerConfig): PreflightProblem {
  if (mongodb === undefined) return undefined;
  try {
    void createMongoClient(mongodb).close();
    return undefined;
  } catch (error) {
    return `${formatSettingOption('mongodb')}: ${(error as Error).message}`;
  }
}

async function findDataDirProblem({ dataDir: folder }: ServerConfig): Promise<PreflightProblem> {
  const excess = excessBytesOfDataDirPath(folder);
  if (excess > 0)
    return `${formatSettingOption('dataDir')}: the path of data directory ${folder} is ${excess} bytes too long for sockets`;
  let at = resolve(folder);
  try {
    for (;;) {
      const found = await stat(at).catch((error: NodeJS.ErrnoException) => {
        if (error.code === 'ENOENT' && at !== dirname(at)) return undefined;
        throw error;
      });
      if (found && !found.isDirectory())
        throw Object.assign(new Error(), { code: at === resolve(folder) ? 'EEXIST' : 'ENOTDIR' });
      if (found) break;
      at = dirname(at);
    }
    await access(at, constants.R_OK | constants.W_OK | constants.X_OK);
    // Permissions don't prove that writing works: /proc and read-only file systems refuse it.
    await rmdir(await mkdtemp(join(at, '.conclave-check-')));
    return undefined;
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    if (TRANSIENT_FILE_ERROR_CODES.includes(code)) return undefined;
    return `${formatSettingOption('dataDir')}: data directory ${folder} can't be used: ${describeFileError(error)}`;
  }
}

async function findDisposableDomainsFileProblem({ disposableDomains: file }: ServerConfig): Promise<PreflightProblem> {
  if (file === undefined) return undefined;
  const name = formatSettingOption('disposableDomains');
  try {
    const found = await stat(file);
    if (!found.isFile()) return `${name}: ${file} is not a file`;
    if (found.size > MAX_DISPOSABLE_DOMAINS_FILE_BYTES)
      return `${name}: ${file} is larger than ${MAX_DISPOSABLE_DOMAINS_FILE_BYTES} bytes`;
    await access(file, constants.R_OK);
    return undefined;
  } catch (error) {
    return `${name}: ${file} can't be read: ${describeFileError(error)}`;
  }
}

interface PortProblem {
  readonly wrong?: string;
  /**
   * Problem of a TCP port that another process uses; undefined if there is none. That process may end, so a later start
   * may succeed.
   */
  readonly taken?: string;
}

async function findListenAddressProblem(
  config: ServerConfig,
  hostName: 'host' | 'opsHost',
  portName: 'port' | 'opsPort',
): Promise<PortProblem> {
  const [host, port] = [config[hostName], config[portName]];
  const error = await findListenError(host, port);
  const shown = `${host.includes(':') ? `[${host}]` : host}:${port}`;
  switch (error?.code) {
    case undefined:
      return {};
    case 'EADDRINUSE':
      return { taken: `${formatSettingOption(portName)}: ${shown} is in use by another process` };
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
    case 'EAFNOSUPPORT':
      return { wrong: `${formatSettingOption(hostName)}: ${host} is no address of this machine` };
    case 'EACCES':
      return { wrong: `${formatSettingOption(portName)}: ${shown} may not be listened on: no permission` };
    default:
      // Other problems may pass (a name server that is down). If they don't, opening the port reports them.
      return {};
  }
}

function findListenError(host: string, port: number): Promise<NodeJS.ErrnoException | undefined> {
  return new Promise((done) => {
    const server = createServer();
    server.once('error', (error: NodeJS.ErrnoException) => done(error));
    server.listen({ host, port, exclusive: true }, () => server.close(() => done(undefined)));
  });
}
