/**
 * Parser of `multipart/form-data`: the fields of a form and, where an operation takes them, its files. A part costs the
 * parser some microseconds, so boundaries are counted before parsing begins. A large body is parsed in pieces, and
 * other requests are served in between.
 */
import { Busboy, type BusboyFileStream, type BusboyInstance } from '@fastify/busboy';
import { TimeSlicer } from '#base';
import type { UploadedFile } from '#frontend/api';
import { apiError } from '#model/errors';
import { type FormFields, MAX_FORM_FIELDS } from './form-urlencoded.js';

interface MultipartContent {
  readonly fields: FormFields;
  /** Files of the form, in order; empty where files are skipped. */
  readonly files: readonly UploadedFile[];
}

/** Maximum of parts of a form: its fields and some files. */
const MAX_FORM_PARTS = MAX_FORM_FIELDS + 10;
/** Maximum of boundaries of a form: one before each part, and one at the end. */
const MAX_FORM_BOUNDARIES = MAX_FORM_PARTS + 1;
/** Number of bytes of a form parsed at a time, which takes some hundred microseconds. */
const PARSED_PIECE_BYTES = 32 * 1024;
/** Number of bytes scanned for boundaries at a time: at worst each byte is compared with the whole boundary. */
const SCANNED_PIECE_BYTES = 256 * 1024;
/** Maximum number of bytes of a field, where the operation takes files (`keepFiles`); the files may be larger. */
const MAX_FIELD_BYTES_BESIDE_FILES = 1_048_576;
/** Maximum length of a boundary: RFC 2046 allows 70 characters; the API's original server takes 201. */
const MAX_BOUNDARY_LENGTH = 201;

const makeMalformedFormError = () => apiError('MALFORMED_FORM');

/**
 * Parses a multipart form. Rejects with MALFORMED_FORM where the form has no boundary, no end, or too many parts. The
 * files take no more memory than the body.
 * @param body must stay valid until the promise settles
 * @param progress its `abandoned` is true when the client has left, so that the rest need not be parsed
 */
export async function parseMultipartForm(
  body: Uint8Array,
  contentType: string,
  keepFiles = false,
  progress: { readonly abandoned: boolean } = { abandoned: false },
): Promise<MultipartContent> {
  const boundary = boundaryOfContentType(contentType);
  if (boundary === undefined) throw makeMalformedFormError();
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength);
  // Inside files, only a line that begins with the delimiter is a boundary.
  const delimiter = Buffer.from(`\r\n--${boundary}`, 'latin1');
  if (bytes.length <= PARSED_PIECE_BYTES) {
    if (countBoundariesInPiece(bytes, delimiter) > MAX_FORM_BOUNDARIES) throw makeMalformedFormError();
    const form = new MultipartFormParser(boundary, bytes.length, keepFiles);
    form.finishWithPiece(bytes);
    return form.content;
  }
  const turns = new TimeSlicer(1);
  await checkBoundaryCount(bytes, delimiter, turns);
  const form = new MultipartFormParser(boundary, bytes.length, keepFiles);
  for (let at = 0; at < bytes.length && !form.hasFailed && !progress.abandoned; at += PARSED_PIECE_BYTES) {
    await turns.yieldIfSliceIsOver();
    await form.writePiece(bytes.subarray(at, at + PARSED_PIECE_BYTES));
  }
  form.finishWithPiece();
  return form.content;
}

function boundaryOfContentType(contentType: string): string | undefined {
  const found = /;\s*boundary\s*=\s*(?:"([^"\\]*)"|([^\s;"]*))/i.exec(contentType);
  const boundary = found?.[1] ?? found?.[2] ?? '';
  return boundary === '' || boundary.length > MAX_BOUNDARY_LENGTH ? undefined : boundary;
}

/** Counts the boundaries in a piece; counting stops one above the maximum. */
function countBoundariesInPiece(piece: Buffer, delimiter: Buffer): number {
  let count = 0;
  for (let at = piece.indexOf(delimiter); at >= 0 && count <= MAX_FORM_BOUNDARIES; count++) {
    at = piece.indexOf(delimiter, at + delimiter.length);
  }
  return count;
}

/** Refuses a form with too many boundaries. @throws ApiError MALFORMED_FORM */
async function checkBoundaryCount(bytes: Buffer, delimiter: Buffer, turns: TimeSlicer): Promise<void> {
  let count = 0;
  for (let from = 0; from < bytes.length; from += SCANNED_PIECE_BYTES) {
    await turns.yieldIfSliceIsOver();
    // A boundary across two pieces of the body counts in the first.
    count += countBoundariesInPiece(bytes.subarray(from, from + SCANNED_PIECE_BYTES + delimiter.length - 1), delimiter);
    if (count > MAX_FORM_BOUNDARIES) throw makeMalformedFormError();
  }
}

class MultipartFormParser {
  readonly content: Promise<MultipartContent>;
  hasFailed = false;
  readonly #busboy: BusboyInstance;
  #rejectContent: () => void = () => {};

  constructor(boundary: string, size: number, keepFiles: boolean) {
    const fields = new Map<string, string>();
    const files: UploadedFile[] = [];
    const most = size + 1;
    this.#busboy = new Busboy({
      headers: { 'content-type': `multipart/form-data; boundary="${boundary}"` },
      limits: {
        fields: MAX_FORM_FIELDS,
        parts: MAX_FORM_PARTS,
        fieldSize: keepFiles ? Math.min(most, MAX_FIELD_BYTES_BESIDE_FILES) : most,
        fileSize: most,
        fieldNameSize: 1000,
      },
      // By default a part with the type application/octet-stream would be a file without name.
      isPartAFile: (_field, _type, fileName) => fileName !== undefined,
    });
    const parser = this.#busboy;
    this.content = new Promise((resolve, reject) => {
      this.#rejectContent = () => {
        this.hasFailed = true;
        reject(makeMalformedFormError());
      };
      parser.on('finish', () => resolve({ fields, files }));
    });
    const fail = this.#rejectContent;
    parser.on('field', (name: string, value: string, _nameCut: boolean, valueCut: boolean) => {
      if (valueCut) fail();
      else fields.set(name, value);
    });
    parser.on('file', (_field: string, stream: BusboyFileStream, name: string, _encoding: string, type: string) => {
      // Without a listener for errors, a file without an end would crash the process.
      stream.on('error', fail);
      if (!keepFiles) {
        stream.resume();
        return;
      }
      const chunks: Buffer[] = [];
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      stream.on('end', () => files.push({ name: name ?? '', type: type ?? '', bytes: Buffer.concat(chunks) }));
    });
    parser.on('fieldsLimit', fail);
    parser.on('partsLimit', fail);
    parser.on('error', fail);
  }

  /** Resolves when the parser takes the next piece, or the form has failed. */
  async writePiece(piece: Buffer): Promise<void> {
    const taken = new Promise<void>((resolve) => this.#busboy.write(piece, () => resolve()));
    await Promise.race([taken, this.content.catch(() => undefined)]);
  }

  finishWithPiece(piece?: Buffer): void {
    if (this.hasFailed) return;
    if (piece) this.#busboy.end(piece);
    else this.#busboy.end();
  }
}
