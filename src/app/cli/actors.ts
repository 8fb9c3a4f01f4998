/** Access of the command line's commands to the actors. */
import { AdminError, BusSystemActorCaller, RunningServerActorCaller, type SystemActorCaller } from '#app/admin';
import { isClusterConfig, type ServerConfig } from '#app/config';
import {
  ConclaveNode,
  loadOrCreateServerSecret,
  makeServerSecretMismatchError,
  openProcessPorts,
  type ProcessPorts,
} from '#app/server';
import type { Logger } from '#base';
import { REAL_CLOCK } from '#base/clock';
import { ServerCryptography } from '#domain/secrets';
import { DataDirectoryInUseError } from '#ports/store';

/**
 * Runs `action` with a caller of the actors: in the cluster, on the data directory, or through the server that has the
 * directory open. Mails, pushes and calls of webhooks wait for the server: its settings may name a mail server or
 * networks, and those of the command none.
 */
export async function runWithActorClient(
  config: ServerConfig,
  logger: Logger,
  action: (actors: SystemActorCaller, secrets: ServerCryptography) => Promise<void>,
): Promise<void> {
  const secrets = new ServerCryptography(await loadOrCreateServerSecret(config));
  const actors = await connectOwnNodeOrRunningServer(config, secrets, logger);
  try {
    await action(actors, secrets);
  } finally {
    await actors.close();
  }
}

async function connectOwnNodeOrRunningServer(
  config: ServerConfig,
  secrets: ServerCryptography,
  logger: Logger,
): Promise<SystemActorCaller> {
  const own: ServerConfig = isClusterConfig(config) ? { ...config, role: 'http' } : { ...config, outgoing: 'off' };
  try {
    const ports = await openProcessPorts(own, secrets, REAL_CLOCK, logger);
    await requireLivingActorHost(ports).catch(async (error: unknown) => {
      await ports.close();
      throw error;
    });
    const node = new ConclaveNode(ports, own, secrets, logger);
    await node.start();
    return new BusSystemActorCaller(node.actorClient, () => node.stop());
  } catch (error) {
    if (!(error instanceof DataDirectoryInUseError)) throw error;
    return connectToServerWithSameSecret(config, secrets);
  }
}

/** Connects to the server that has the data directory open. @throws ServerConfigError when it uses another secret */
async function connectToServerWithSameSecret(
  { dataDir }: ServerConfig,
  secrets: ServerCryptography,
): Promise<SystemActorCaller> {
  const server = await RunningServerActorCaller.connectToServerOf(dataDir);
  if (await server.hasSameSecret(secrets.secretFingerprint)) return server;
  await server.close();
  throw makeServerSecretMismatchError(`the data directory ${dataDir}`);
}

/**
 * Refuses to send commands while no actor host is alive, because each command would wait for its whole deadline.
 * @throws AdminError
 */
async function requireLivingActorHost({ hosts }: ProcessPorts): Promise<void> {
  if (!hosts || (await hosts.observeWhetherAnyHostIsAlive())) return;
  throw new AdminError('no actor host of this cluster is alive: start one with conclave serve --role actors');
}
