/** `multipart/form-data`: its fields and, where an operation takes them, its files. */
import { Busboy, type BusboyFileStream, type BusboyHeaders, type BusboyInstance } from '@fastify/busboy';
import { apiError, type UploadedFile } from '../api/index.js';
import { type Fields, MAX_FIELDS } from './params-form.js';

export interface Multipart {
  readonly fields: Fields;
  /** In order; empty where files are skipped. */
  readonly files: readonly UploadedFile[];
}

/**
 * Rejects with MALFORMED_FORM: no boundary, no end, or too many parts. `body` is copied by the caller if it must be.
 * What is kept of the files is never more than the body was.
 */
export function parseMultipart(body: Uint8Array, contentType: string, keepFiles = false): Promise<Multipart> {
  return new Promise((resolve, reject) => {
    const fail = (): void => reject(apiError('MALFORMED_FORM'));
    const fields = new Map<string, string>();
    const files: UploadedFile[] = [];
    let parser: BusboyInstance;
    try {
      parser = new Busboy({
        headers: { 'content-type': contentType } as BusboyHeaders,
        limits: {
          fields: MAX_FIELDS,
          parts: MAX_FIELDS + 10,
          fieldSize: body.byteLength + 1,
          fileSize: body.byteLength + 1,
          fieldNameSize: 1000,
        },
      });
    } catch {
      fail();
      return;
    }
    parser.on('field', (name: string, value: string) => fields.set(name, value));
    parser.on('file', (_field: string, stream: BusboyFileStream, name: string, _encoding: string, type: string) => {
      // Without a listener the end that is missing would end the process.
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
    parser.on('finish', () => resolve({ fields, files }));
    parser.end(body);
  });
}
