/** The check that all processes of a cluster have the same number of log streams. */
import { type ServerConfig, ServerConfigError } from '#app/config';
import { readOrInitMongoLogStreamCount } from '#ports/store';

/**
 * Refuses to start with another number of log streams than that of the cluster: a process with another number would
 * append and read in other places than the rest. The first process of a cluster records its number.
 * @param what the database in words, for the message
 * @throws ServerConfigError
 * @throws StoreUnavailableError
 */
export async function checkOrStoreLogStreamCount(
  { logStreams, mongodb }: Pick<ServerConfig, 'logStreams' | 'mongodb'>,
  what: string,
): Promise<void> {
  const stored = await readOrInitMongoLogStreamCount(mongodb as string, logStreams);
  if (stored === logStreams) return;
  throw new ServerConfigError(
    `--log-streams (LOG_STREAMS): the cluster with ${what} has ${stored}, this process was given ${logStreams}: give ` +
      'it the same as all others. To change the number of the cluster: conclave store log-streams',
  );
}
