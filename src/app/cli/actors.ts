/** Access to the actors for commands of the command line. */
import { type ActorCaller, AdminError, BusActorCaller, ChannelActorCaller } from '#app/admin';
import { type Config, isClusterConfig } from '#app/config';
import { ConclaveNode, loadServerSecret, openProcessPorts, type ProcessPorts, secretMismatchError } from '#app/server';
import type { Logger } from '#base';
import { REAL_CLOCK } from '#base/clock';
import { ServerCryptography } from '#domain/secrets';
import { DirectoryInUse } from '#ports/store';

/**
 * Runs `action` with a caller of the actors: in the cluster, on the data directory, or through the server that has the
 * directory open.
 */
export async function withActors(
  config: Config,
  logger: Logger,
  action: (actors: ActorCaller, secrets: ServerCryptography) => Promise<void>,
): Promise<void> {
  const secrets = new ServerCryptography(await loadServerSecret(config));
  const actors = await connect(config, secrets, logger);
  try {
    await action(actors, secrets);
  } finally {
    await actors.close();
  }
}

async function connect(config: Config, secrets: ServerCryptography, logger: Logger): Promise<ActorCaller> {
  const own: Config = isClusterConfig(config) ? { ...config, role: 'http' } : config;
  try {
    const ports = await openProcessPorts(own, secrets, REAL_CLOCK, logger);
    await checkHosts(ports).catch(async (error: unknown) => {
      await ports.close();
      throw error;
    });
    const node = new ConclaveNode(ports, own, secrets, logger);
    await node.start();
    return new BusActorCaller(node.client, () => node.stop());
  } catch (error) {
    if (!(error instanceof DirectoryInUse)) throw error;
    return connectToServer(config, secrets);
  }
}

/** Connects to the server that has the data directory open. @throws ConfigError when it uses another secret */
async function connectToServer({ dataDir }: Config, secrets: ServerCryptography): Promise<ActorCaller> {
  const server = await ChannelActorCaller.open(dataDir);
  if (await server.hasSecret(secrets.check)) return server;
  await server.close();
  throw secretMismatchError(`the data directory ${dataDir}`);
}

/** Refuses to send commands while no actor host is alive: each would wait for its whole deadline. @throws AdminError */
async function checkHosts({ hosts }: ProcessPorts): Promise<void> {
  if (!hosts || (await hosts.anyLives())) return;
  throw new AdminError('no actor host of this cluster is alive: start one with conclave serve --role actors');
}
