import { ActorRefused, ApiError, apiError, type ErrorReply } from '#model/errors';
import { BlobsUnavailable } from '#ports/blobs';

/** What a client is told of an exception; undefined: nothing, it is a fault of ours. */
export function refusalOf(error: unknown): ErrorReply | undefined {
  if (error instanceof ApiError) return error.toReply();
  if (error instanceof ActorRefused) return error.reply;
  if (error instanceof BlobsUnavailable) return apiError('SERVICE_UNAVAILABLE').toReply();
  return undefined;
}
