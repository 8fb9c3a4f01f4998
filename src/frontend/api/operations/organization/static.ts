/**
 * Operation that serves files of the program under /static/ (logo, emoji names and pictures), to which answers of the
 * API link.
 */
import { createHash } from 'node:crypto';
import { planRangeResponse, unquotedEtagOfGzip } from '#domain/files';
import { getOrMakeStaticFile } from '#frontend/static';
import { apiError } from '#model/errors';
import { type ApiOperation, defineOperation } from '../../operation.js';
import { declarePathRestParameter } from '../../parameters.js';
import { CONDITIONAL_REQUEST_HEADERS } from '../../raw-answers.js';

const isTextOfStaticMediaType = (type: string): boolean => type !== 'image/png';

const DAY_SECONDS = 86_400;

const getStaticFileOperation = defineOperation({
  id: 'get-static-file',
  method: 'GET',
  path: '/static/{path}',
  root: true,
  guard: 'none',
  rateLimit: 'none',
  headers: CONDITIONAL_REQUEST_HEADERS,
  summary: 'A file of the program: the default logo, the names of Unicode emoji.',
  parameters: { path: declarePathRestParameter('The file.') },
  async run(call) {
    const file = await getOrMakeStaticFile(call.params.path);
    if (!file) throw apiError('FILE_NOT_FOUND');
    const tag = createHash('sha1').update(file.bytes).digest('hex');
    const { status, headers, start, end } = planRangeResponse(file.bytes.byteLength, tag, {
      range: call.header('range'),
      ifRange: call.header('if-range'),
      ifNoneMatch: call.header('if-none-match'),
    });
    return {
      status,
      // Every answer with the whole file uses the same buffer, so that the compressed file is cached.
      raw: status === 200 ? file.bytes : file.bytes.subarray(start, end),
      headers: {
        'Content-Type': file.type,
        'Content-Security-Policy': "default-src 'none'; style-src 'unsafe-inline'",
        'X-Content-Type-Options': 'nosniff',
        'Cache-Control': `public, max-age=${DAY_SECONDS}`,
        'Accept-Ranges': 'bytes',
        ETag: `"${tag}"`,
        ...(isTextOfStaticMediaType(file.type) && status !== 200 ? { Vary: 'Accept-Encoding' } : {}),
        ...headers,
      },
      // Compressed bytes need a tag of their own; ranges are always of the plain bytes.
      ...(isTextOfStaticMediaType(file.type) ? { coded: { ETag: `"${unquotedEtagOfGzip(tag)}"` } } : {}),
    };
  },
});

export const STATIC_FILE_OPERATIONS = [getStaticFileOperation] as unknown as readonly ApiOperation[];
