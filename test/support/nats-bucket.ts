import { randomBytes } from 'node:crypto';
import { connect, NatsError } from 'nats';

/** Name of a key-value bucket that no other test has. */
export const testBucket = (): string => `TEST_${randomBytes(6).toString('hex')}`;

/** One that was never made is no fault here: what kept it from being made is what the test should tell. */
export async function deleteBucket(url: string, bucket: string): Promise<void> {
  const nats = await connect({ servers: url });
  try {
    await (await nats.jetstreamManager()).streams.delete(`KV_${bucket}`);
  } catch (error) {
    if (!(error instanceof NatsError && error.api_error?.code === 404)) throw error;
  } finally {
    await nats.close();
  }
}
