/** Forms with files, as browsers make them. */
export interface SentFile {
  /** Name of the form's field; default 'file'. */
  readonly field?: string;
  readonly name: string;
  readonly bytes: string | Uint8Array;
  /** Undefined for a part without Content-Type. */
  readonly type?: string;
}

const BOUNDARY = '----boundary-of-the-tests';

export function multipart(
  files: readonly SentFile[],
  fields: Readonly<Record<string, string>> = {},
): { readonly type: string; readonly body: Buffer } {
  const texts = Object.entries(fields).map(([name, value]) =>
    Buffer.from(`--${BOUNDARY}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`),
  );
  const parts = files.flatMap(({ field = 'file', name, bytes, type }) => [
    Buffer.from(
      `--${BOUNDARY}\r\nContent-Disposition: form-data; name="${field}"; filename="${name.replaceAll('"', '%22')}"\r\n` +
        `${type === undefined ? '' : `Content-Type: ${type}\r\n`}\r\n`,
    ),
    Buffer.from(bytes as Uint8Array),
    Buffer.from('\r\n'),
  ]);
  return {
    type: `multipart/form-data; boundary=${BOUNDARY}`,
    body: Buffer.concat([...texts, ...parts, Buffer.from(`--${BOUNDARY}--\r\n`)]),
  };
}
