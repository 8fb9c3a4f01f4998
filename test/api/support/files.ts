/** Uploads files and fetches them, as a client does. */
import type { RawAnswer } from './http.js';
import type { Person } from './organization.js';
import type { Fields } from './types.js';

export interface ApiAttachment extends Fields {
  readonly id: number;
  readonly path_id: string;
  readonly messages: readonly { readonly id: number; readonly date_sent: number }[];
}

/** Address of the new file. */
export async function upload(
  by: Person,
  name = 'file.txt',
  bytes: string | Uint8Array = `content of ${name}`,
  type = 'text/plain',
): Promise<string> {
  const { status, body } = await by.api.upload('POST /user_uploads', [{ name, bytes, type }]);
  if (status !== 200) throw new Error(`upload as ${by.role}: ${status} ${JSON.stringify(body)}`);
  return (body as { uri: string }).uri;
}

export const attachmentsOf = (by: Person) =>
  by.api.ok<{ attachments: ApiAttachment[]; upload_space_used: number }>('GET /attachments');

/** The file behind an address. */
export const look = (
  by: Person,
  uri: string,
  headers: Readonly<Record<string, string>> = {},
  method = 'GET',
): Promise<RawAnswer> => by.api.raw({ method, path: encodeURI(decodeURI(uri)), headers });

/** Address of a file's thumbnail. @param format its name, as the state of newer levels has it */
export const thumbnailOf = (uri: string, format: string): string =>
  `${uri.replace('/user_uploads/', '/user_uploads/thumbnail/')}/${format}`;

export const NOT_FOUND = [404, '<p>File not found.</p>'];
export const FORBIDDEN = [403, '<p>You are not authorized to view this file.</p>'];

export const page = ({ status, text }: RawAnswer): [number, string] => [status, text];
