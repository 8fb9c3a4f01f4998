/** Small files that browsers and crawlers request at fixed paths. They are made at their first use and cached. */
import { createHash } from 'node:crypto';
import { drawLogoMarkPng } from '#frontend/static';
import { makeWebFileHeaders } from './headers.js';
import type { WebClientFile } from './manifest.js';

const APP_ICON_SIDES_PIXELS = [192, 512];
const FAVICON_SIDE_PIXELS = 64;

const appIconUrlPath = (side: number): string => `/web/icon-${side}.png`;

/** Web app manifest with which a browser installs the web client. */
const WEB_APP_MANIFEST = {
  name: 'Conclave',
  short_name: 'Conclave',
  id: '/',
  start_url: '/',
  scope: '/',
  display: 'standalone',
  icons: APP_ICON_SIDES_PIXELS.map((side) => ({
    src: appIconUrlPath(side),
    sizes: `${side}x${side}`,
    type: 'image/png',
  })),
};

/**
 * Content of robots.txt. It excludes all crawlers: messages are for people with an account, so a crawler would find an
 * empty page.
 */
const ROBOTS_TXT = 'User-agent: *\nDisallow: /\n';

function makeUncompressedWebFile(type: string, bytes: Uint8Array): WebClientFile {
  const etag = `"${createHash('sha256').update(bytes).digest('base64url').slice(0, 22)}"`;
  const headers = makeWebFileHeaders({ type, etag, coding: undefined, varies: false, immutable: false });
  return { uncompressedVariant: { bytes, etag, headers }, variantsByCoding: {} };
}

const makeIconFileMaker = (side: number) => async (): Promise<WebClientFile> =>
  makeUncompressedWebFile('image/png', await drawLogoMarkPng(side));
const makeTextFileMaker = (type: string, content: string) => async (): Promise<WebClientFile> =>
  makeUncompressedWebFile(type, Buffer.from(content));

const FILE_MAKERS_BY_PATH: ReadonlyMap<string, () => Promise<WebClientFile>> = new Map([
  ['/favicon.ico', makeIconFileMaker(FAVICON_SIDE_PIXELS)],
  ...APP_ICON_SIDES_PIXELS.map((side) => [appIconUrlPath(side), makeIconFileMaker(side)] as const),
  ['/robots.txt', makeTextFileMaker('text/plain; charset=utf-8', ROBOTS_TXT)],
  ['/site.webmanifest', makeTextFileMaker('application/manifest+json', JSON.stringify(WEB_APP_MANIFEST))],
]);

const madeFilesByPath = new Map<string, Promise<WebClientFile>>();

/**
 * Returns a file at a fixed path; undefined where there is no such file. Rejects where pictures can't be drawn on this
 * platform.
 */
export function getOrMakeServerMadeWebFile(path: string): Promise<WebClientFile> | undefined {
  const make = FILE_MAKERS_BY_PATH.get(path);
  let file = madeFilesByPath.get(path);
  if (!file && make) {
    file = make();
    madeFilesByPath.set(path, file);
    // A failed attempt to make a file is not cached.
    file.catch(() => madeFilesByPath.delete(path));
  }
  return file;
}
