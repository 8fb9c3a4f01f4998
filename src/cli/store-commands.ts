/** Commands on a cluster's database as a whole; no process needs to run, and for `restored` none may. */
import { AdminError } from '../admin/index.js';
import { skipMessageIds } from '../backup/index.js';
import { RealClock } from '../clock/index.js';
import type { Config } from '../config/index.js';
import { JetStreamLog } from '../log/index.js';
import { logNames } from '../server/ports-cluster.js';
import { FORMAT, MongoStore, mongoFormat, raiseMongoFormat } from '../store/index.js';

interface Servers {
  readonly nats: string;
  readonly mongodb: string;
  readonly namespace: string;
}

const COMMANDS: Readonly<Record<string, (of: Servers) => Promise<string>>> = {
  format: async ({ mongodb }) => `stored: ${await mongoFormat(mongodb)}, known to this program: up to ${FORMAT}`,

  'raise-format': async ({ mongodb }) => `stored: ${await raiseMongoFormat(mongodb)}`,

  async restored({ nats, mongodb, namespace }) {
    await mongoFormat(mongodb);
    const clock = new RealClock();
    const store = await MongoStore.connect(mongodb, clock);
    try {
      await skipMessageIds(store);
    } finally {
      await store.close();
    }
    await JetStreamLog.discard(nats, clock, logNames(namespace).stream);
    return 'message ids go on above those of before, event queues of before end';
  },
};

/** The command that these words name; undefined: it is another. */
export function storeCommand(words: readonly string[]): ((config: Config) => Promise<void>) | undefined {
  const [group, name = '', ...more] = words;
  const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  if (group !== 'store' || !command || more.length > 0) return undefined;
  return async ({ nats, mongodb, namespace }) => {
    if (nats === undefined || mongodb === undefined) {
      throw new AdminError(`store ${name} is for clusters: give --nats and --mongodb`);
    }
    process.stdout.write(`${await command({ nats, mongodb, namespace })}\n`);
  };
}
