/** Access of the command line's commands to the actors. */
import { AdminError, BusSystemActorCaller, RunningServerActorCaller, type SystemActorCaller } from '#app/admin';
import { isClusterConfig, type ServerConfig } from '#app/config';
import {
  ConclaveNode,
  hasServerData,
  loadOrCreateServerSecret,
  makeServerSecretMismatchError,
  openProcessPorts,
  type ProcessPorts,
} from '#app/server';
import type { Logger } from '#base';
import { REAL_CLOCK, waitOnClock } from '#base/clock';
import { ServerCryptography } from '#domain/secrets';
import { DataDirectoryInUseError } from '#ports/store';

type ActorClientAction = (actors: SystemActorCaller, secrets: ServerCryptography) => Promise<void>;

/**
 * Runs `action` with a caller of the actors: in the cluster, on the data directory, or through the server that has the
 * directory open. Mails, pushes and calls of webhooks wait for the server: its settings may name a mail server or
 * networks, and those of the command none.
 *
 * @throws AdminError for a data directory without data, whose path is most likely mistyped
 */
export async function runWithActorClient(
  config: ServerConfig,
  logger: Logger,
  action: ActorClientAction,
): Promise<void> {
  if (!isClusterConfig(config) && !(await hasServerData(config.dataDir)))
    throw new AdminError(`${config.dataDir} has no data of a server`);
  await runWithActorClientOrNewData(config, logger, action);
}

/** Like `runWithActorClient`, for commands that may be the first one of an installation. */
export async function runWithActorClientOrNewData(
  config: ServerConfig,
  logger: Logger,
  action: ActorClientAction,
): Promise<void> {
  const secrets = new ServerCryptography(await loadOrCreateServerSecret(config));
  const actors = await connectOwnNodeOrRunningServer(config, secrets, logger);
  try {
    await action(actors, secrets);
  } finally {
    await actors.close();
  }
}

function connectOwnNodeOrRunningServer(
  config: ServerConfig,
  secrets: ServerCryptography,
  logger: Logger,
): Promise<SystemActorCaller> {
  const own: ServerConfig = isClusterConfig(config) ? { ...config, role: 'http' } : { ...config, outgoing: 'off' };
  const startOwnNode = async (): Promise<SystemActorCaller> => {
    const ports = await openProcessPorts(own, secrets, REAL_CLOCK, logger);
    let node: ConclaveNode;
    try {
      await requireLivingActorHost(ports);
      node = new ConclaveNode(ports, own, secrets, logger);
    } catch (error) {
      await ports.close();
      throw error;
    }
    await node.start();
    return new BusSystemActorCaller(node.actorClient, () => node.stop());
  };
  return useDataDirOrItsServer<SystemActorCaller>(config.dataDir, startOwnNode, async (server) => {
    if (await server.hasSameSecret(secrets.secretFingerprint)) return server;
    await server.close();
    throw makeServerSecretMismatchError(`the data directory ${config.dataDir}`);
  });
}

/** Time limit of a command for a data directory that another command has open, ms. */
const MAX_DATA_DIR_WAIT_MS = 10_000;
/** Shortest pause between two looks at it, ms. The pauses differ, since two commands that open it at once both fail. */
const MIN_DATA_DIR_LOOK_PAUSE_MS = 50;

/**
 * Uses the data directory itself or, while a server has it open, that server. The directory may also be open in another
 * command, or in a server that starts or stops: the call waits for these.
 *
 * @param useDataDir throws DataDirectoryInUseError while another process has the directory open
 * @throws AdminError when the directory stays open without a server that can be reached
 */
export async function useDataDirOrItsServer<T>(
  dataDir: string,
  useDataDir: () => Promise<T>,
  useServer: (server: RunningServerActorCaller) => Promise<T>,
): Promise<T> {
  const until = REAL_CLOCK.monotonic() + MAX_DATA_DIR_WAIT_MS;
  for (;;) {
    try {
      return await useDataDir();
    } catch (error) {
      if (!(error instanceof DataDirectoryInUseError)) throw error;
    }
    const server = await RunningServerActorCaller.connectIfServerListens(dataDir, REAL_CLOCK);
    if (server) return useServer(server);
    if (REAL_CLOCK.monotonic() > until)
      throw new AdminError(`another command, or a server that starts or stops, has the data directory ${dataDir} open`);
    await waitOnClock(REAL_CLOCK, MIN_DATA_DIR_LOOK_PAUSE_MS * (1 + Math.random()));
  }
}

/**
 * Refuses to send commands while no actor host is alive, because each command would wait for its whole deadline.
 * @throws AdminError
 */
async function requireLivingActorHost({ hosts }: ProcessPorts): Promise<void> {
  if (!hosts || (await hosts.observeWhetherAnyHostIsAlive())) return;
  throw new AdminError('no actor host of this cluster is alive: start one with conclave serve --role actors');
}
