import t from 'tap';

/** Reports that a prerequisite of a test is missing: the test is skipped visibly, and fails on CI. */
export function missing(what: string): undefined {
  if (process.env.CI) t.fail(what);
  else t.pass(`skipped: ${what}`, { skip: what });
  return undefined;
}

export interface Services {
  readonly nats: string;
  readonly mongodb: string;
}

/** Services that the cluster face needs. */
export function services(): Services | undefined {
  const { NATS_URL: nats, MONGODB_URL: mongodb } = process.env;
  if (nats && mongodb) return { nats, mongodb };
  return missing('NATS_URL and MONGODB_URL are not set: deploy/dev/services up, then . .services/env');
}
