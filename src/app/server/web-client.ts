/** The web client on the listener for clients: its files, and the operations of sessions. */
import { fileURLToPath } from 'node:url';
import type { Config } from '#app/config';
import { memoizeByObject } from '#base';
import { OPERATIONS, type Operation } from '#frontend/api';
import { Headers, type HttpExchange } from '#frontend/http';
import { readWebFiles, type WebFile, type WebHeaders, webAnswer } from '#frontend/web';

/** Written by tools/build-web.mjs. */
const BUILT = fileURLToPath(new URL('../../../web/', import.meta.url));

export interface WebClient {
  /** Operations of the server, with those of sessions unless the web client is turned off. */
  readonly operations: readonly Operation[];
  /** There is a page to open. */
  readonly hasPage: boolean;
  /** Answers a request for the page or one of its files. @returns false when there is no such file */
  serve(exchange: HttpExchange): boolean;
}

const headersOf = memoizeByObject((headers: WebHeaders) => new Headers(headers));

/** @param folder of the built web client */
export async function openWebClient({ web }: Config, folder = BUILT): Promise<WebClient> {
  const operations = web === 'on' ? OPERATIONS : OPERATIONS.filter(({ webClient }) => !webClient);
  const files = web === 'on' ? await readWebFiles(folder) : undefined;
  return { operations, hasPage: files?.has('/') ?? false, serve: (exchange) => serveFile(files, exchange) };
}

function serveFile(files: ReadonlyMap<string, WebFile> | undefined, exchange: HttpExchange): boolean {
  const answer = files && webAnswer(files, exchange);
  if (!answer) return false;
  const { status, variant } = answer;
  exchange.respond(status, headersOf(variant.headers), status === 200 ? [variant.bytes] : []);
  return true;
}
