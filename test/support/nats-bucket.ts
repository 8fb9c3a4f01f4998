import { randomBytes } from 'node:crypto';
import { connect } from 'nats';

/** Name of a key-value bucket that no other test has. */
export const testBucket = (): string => `TEST_${randomBytes(6).toString('hex')}`;

export async function deleteBucket(url: string, bucket: string): Promise<void> {
  const nats = await connect({ servers: url });
  await (await nats.jetstreamManager()).streams.delete(`KV_${bucket}`);
  await nats.close();
}
