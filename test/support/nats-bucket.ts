import { randomBytes } from 'node:crypto';
import { connect, NatsError } from 'nats';

/** Random name of a key-value bucket, so that tests never share one. */
export const testBucket = (): string => `TEST_${randomBytes(6).toString('hex')}`;

/** Deletes a bucket. A missing bucket is no error: the test that failed to create it reports the cause. */
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
