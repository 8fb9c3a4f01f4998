/** `multipart/form-data`, its fields only; files are skipped until the upload operations need them. */
import { Busboy, type BusboyFileStream, type BusboyHeaders, type BusboyInstance } from '@fastify/busboy';
import { apiError } from '../api/index.js';
import { type Fields, MAX_FIELDS } from './params-form.js';

/** Rejects with MALFORMED_FORM: no boundary, no end, or too many parts. `body` is copied by the caller if it must be. */
export function parseMultipart(body: Uint8Array, contentType: string): Promise<Fields> {
  return new Promise((resolve, reject) => {
    const fail = (): void => reject(apiError('MALFORMED_FORM'));
    const fields = new Map<string, string>();
    let parser: BusboyInstance;
    try {
      parser = new Busboy({
        headers: { 'content-type': contentType } as BusboyHeaders,
        limits: { fields: MAX_FIELDS, parts: MAX_FIELDS + 10, fieldSize: body.byteLength + 1, fieldNameSize: 1000 },
      });
    } catch {
      fail();
      return;
    }
    parser.on('field', (name: string, value: string) => fields.set(name, value));
    parser.on('file', (_name: string, stream: BusboyFileStream) => stream.resume());
    parser.on('fieldsLimit', fail);
    parser.on('partsLimit', fail);
    parser.on('error', fail);
    parser.on('finish', () => resolve(fields));
    parser.end(body);
  });
}
