/** Small files that browsers and crawlers request at fixed paths. They are made at their first use and cached. */
import { createHash } from 'node:crypto';
import { drawLogoMarkPng } from '#frontend/static';
import { makeWebFileHeaders } from './headers.js';
import type { WebClientFile } from './manifest.js';

const ICON_SIDES = [192, 512];
const FAVICON_SIDE = 64;

const iconPath = (side: number): string => `/web/icon-${side}.png`;

/** Web app manifest with which a browser installs the web client. */
const DESCRIPTION = {
  name: 'Conclave',
  short_name: 'Conclave',
  id: '/',
  start_url: '/',
  scope: '/',
  display: 'standalone',
  icons: ICON_SIDES.map((side) => ({ src: iconPath(side), sizes: `${side}x${side}`, type: 'image/png' })),
};

/**
 * Content of robots.txt. It excludes all crawlers: messages are for people with an account, so a crawler would find an
 * empty page.
 */
const ROBOTS = 'User-agent: *\nDisallow: /\n';

function fileOf(type: string, bytes: Uint8Array): WebClientFile {
  const etag = `"${createHash('sha256').update(bytes).digest('base64url').slice(0, 22)}"`;
  const headers = makeWebFileHeaders({ type, etag, coding: undefined, varies: false, immutable: false });
  return { plain: { bytes, etag, headers }, coded: {} };
}

const icon = (side: number) => async (): Promise<WebClientFile> => fileOf('image/png', await drawLogoMarkPng(side));
const text = (type: string, content: string) => async (): Promise<WebClientFile> => fileOf(type, Buffer.from(content));

const FILES: ReadonlyMap<string, () => Promise<WebClientFile>> = new Map([
  ['/favicon.ico', icon(FAVICON_SIDE)],
  ...ICON_SIDES.map((side) => [iconPath(side), icon(side)] as const),
  ['/robots.txt', text('text/plain; charset=utf-8', ROBOTS)],
  ['/site.webmanifest', text('application/manifest+json', JSON.stringify(DESCRIPTION))],
]);

const made = new Map<string, Promise<WebClientFile>>();

/**
 * Returns a file at a fixed path; undefined where there is no such file. Rejects where pictures can't be drawn on this
 * platform.
 */
export function loadServerMadeWebFile(path: string): Promise<WebClientFile> | undefined {
  const make = FILES.get(path);
  let file = made.get(path);
  if (!file && make) {
    file = make();
    made.set(path, file);
    // A failed attempt to make a file is not cached.
    file.catch(() => made.delete(path));
  }
  return file;
}
