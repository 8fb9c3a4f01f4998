/** The web client on the listener for clients: its files, and the operations of sessions. */
import { fileURLToPath } from 'node:url';
import type { ServerConfig } from '#app/config';
import { memoizeByObject } from '#base';
import { API_OPERATIONS, type ApiOperation, NEWER_API_OPERATIONS } from '#frontend/api';
import { type HttpExchange, ResponseHeaders } from '#frontend/http';
import {
  findWebFileAnswer,
  readWebClientFiles,
  type WebClientFiles,
  type WebFileAnswer,
  type WebFileHeaders,
} from '#frontend/web';
import { apiError } from '#model/errors';

/**
 * Possible places of dist/web, which tools/build-web.mjs writes: relative to the bundled program, and relative to this
 * file after compilation.
 */
const POSSIBLE_WEB_CLIENT_FOLDERS = ['../web/', '../../../web/'].map((path) =>
  fileURLToPath(new URL(path, import.meta.url)),
);

const ALL_OPERATIONS = [...API_OPERATIONS, ...NEWER_API_OPERATIONS];

export interface WebClientServer {
  /** Operations of the server; those of sessions are missing where the web client is turned off. */
  readonly operations: readonly ApiOperation[];
  /** True if the server has a web page for browsers. It has none if the web client is turned off or was not built. */
  readonly hasPage: boolean;
  /** Answers a request for the page or one of its files. @returns false when there is no such file */
  serve(exchange: HttpExchange): boolean;
}

/**
 * Opens the files of the web client.
 *
 * @param folders possible places of the files; the first folder that has a manifest counts
 */
export async function openWebClientServer(
  { web }: Pick<ServerConfig, 'web'>,
  folders = POSSIBLE_WEB_CLIENT_FOLDERS,
): Promise<WebClientServer> {
  if (web === 'off') {
    return { operations: ALL_OPERATIONS.filter(({ webClient }) => !webClient), hasPage: false, serve: () => false };
  }
  let files: WebClientFiles | undefined;
  for (const folder of folders) files ??= await readWebClientFiles(folder);
  return {
    operations: ALL_OPERATIONS,
    hasPage: files?.has('/') ?? false,
    serve: (exchange) => files !== undefined && serveWebClientFileIfExists(files, exchange),
  };
}

const toResponseHeaders = memoizeByObject((headers: WebFileHeaders) => new ResponseHeaders(headers));
const NO_PICTURE_HEADERS = new ResponseHeaders([['Content-Type', 'application/json']]);

function serveWebClientFileIfExists(files: WebClientFiles, exchange: HttpExchange): boolean {
  const answer = findWebFileAnswer(files, exchange);
  if (!answer) return false;
  const send = ({ status, variant }: WebFileAnswer): void =>
    exchange.respond(status, toResponseHeaders(variant.headers), status === 200 ? [variant.bytes] : []);
  if (answer instanceof Promise) answer.then(send, () => exchange.respond(404, NO_PICTURE_HEADERS, [NO_PICTURE_BODY]));
  else send(answer);
  return true;
}

/** Body of the answer 404 for a picture that can't be drawn. Some platforms have no library that draws pictures. */
const NO_PICTURE_BODY = `${JSON.stringify({ result: 'error', msg: apiError('NOT_FOUND').message })}\n`;
