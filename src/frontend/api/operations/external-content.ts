/** Operation that serves pictures of other hosts in messages, fetched through this server (markdown.md § Previews). */
import { ImageFetchError, type ImageFetchFailureReason } from '#frontend/image-proxy';
import { type ApiErrorName, apiError } from '#model/errors';
import { type ApiOperation, defineOperation } from '../operation.js';
import { declarePathTextParameter } from '../parameters.js';
import { CONDITIONAL_REQUEST_HEADERS, servePicture } from '../raw-answers.js';

const DAY_SECONDS = 86_400;

const API_ERROR_BY_IMAGE_FAILURE = {
  gone: 'FILE_NOT_FOUND',
  unreachable: 'IMAGE_UNAVAILABLE',
  refused: 'IMAGE_UNAVAILABLE',
  'no-picture': 'IMAGE_UNFIT',
  'too-large': 'IMAGE_UNFIT',
  'too-slow': 'IMAGE_TOO_SLOW',
  busy: 'SERVICE_UNAVAILABLE',
} as const satisfies Record<ImageFetchFailureReason, ApiErrorName>;

const getExternalImageOperation = defineOperation({
  id: 'get-external-content',
  method: 'GET',
  path: '/external_content/{digest}/{address}',
  root: true,
  guard: 'none',
  // A page of messages shows many pictures; the image proxy has its own bounds.
  rateLimit: 'none',
  headers: CONDITIONAL_REQUEST_HEADERS,
  summary: 'A picture that another host has, fetched by this server: the address is one that a message shows.',
  parameters: {
    digest: declarePathTextParameter('Signature of the address.'),
    address: declarePathTextParameter('Address of the picture, in hexadecimal.'),
  },
  async run(call) {
    const { imageProxy: proxy } = call;
    if (!proxy) throw apiError('FILE_NOT_FOUND');
    const address = proxy.imageUrlIfSigned(call.params.digest, call.params.address);
    if (address === undefined) throw apiError('IMAGE_NOT_SIGNED');
    if (!proxy.fetchesImages) {
      const headers = { Location: new URL(address).href, 'Cache-Control': 'no-store' };
      return { status: 302, raw: new Uint8Array(0), headers };
    }
    const picture = await proxy.getOrFetchImage(address).catch((error: unknown) => {
      throw error instanceof ImageFetchError ? apiError(API_ERROR_BY_IMAGE_FAILURE[error.fault]) : error;
    });
    return servePicture(call, picture, `public, max-age=${DAY_SECONDS}, immutable`);
  },
});

export const EXTERNAL_CONTENT_OPERATIONS = [getExternalImageOperation] as unknown as readonly ApiOperation[];
