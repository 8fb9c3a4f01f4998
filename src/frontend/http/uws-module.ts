/**
 * The native HTTP engine, uWebSockets.js: the choice of the build for this process, and types for the part of its
 * interface that is used. Upstream publishes binaries outside npm; the packages named in this file hold only those
 * binaries, without types.
 */
import { createRequire } from 'node:module';

/** A request object of the engine; valid only while the handler runs. */
export interface UwsRequest {
  getUrl(): string;
  getQuery(): string | undefined;
  getCaseSensitiveMethod(): string;
  /** Returns the first line of a header; '' when absent. @param name in lower case */
  getHeader(name: string): string;
  forEach(each: (name: string, value: string) => void): void;
}

export interface UwsResponse {
  writeStatus(status: string): UwsResponse;
  writeHeader(name: string, value: string): UwsResponse;
  end(body?: string | Uint8Array, closeConnection?: boolean): UwsResponse;
  tryEnd(part: string | Uint8Array, length: number): [ok: boolean, done: boolean];
  /** Ends a response without sending a body. @param announcedLength value of Content-Length; absent: no such header */
  endWithoutBody(announcedLength?: number, closeConnection?: boolean): UwsResponse;
  getWriteOffset(): number;
  onWritable(handler: (offset: number) => boolean): UwsResponse;
  onAborted(handler: () => void): UwsResponse;
  onData(handler: (chunk: ArrayBuffer, isLast: boolean) => void): UwsResponse;
  cork(write: () => void): UwsResponse;
  close(): UwsResponse;
  getRemoteAddressAsText(): ArrayBuffer;
}

/** A listening socket of the engine, as an opaque handle. */
export interface UwsListenSocket {
  readonly __listenSocket: never;
}

type UwsHandler = (res: UwsResponse, req: UwsRequest) => void;

export interface UwsApp {
  get(pattern: string, handler: UwsHandler): UwsApp;
  post(pattern: string, handler: UwsHandler): UwsApp;
  any(pattern: string, handler: UwsHandler): UwsApp;
  listen(host: string, port: number, options: number, done: (socket: UwsListenSocket | false) => void): UwsApp;
  close(): UwsApp;
}

interface UwsModule {
  App(): UwsApp;
  us_listen_socket_close(socket: UwsListenSocket): void;
  us_socket_local_port(socket: UwsListenSocket): number;
}

export interface UwsEngine {
  readonly uws: UwsModule;
  /**
   * True if the build counts `endWithoutBody` as an answer. Otherwise the connection is neither closed nor takes
   * another request.
   */
  readonly endsHead: boolean;
}

/** The properties of this process that a native build must fit. */
export interface HostPlatform {
  readonly platform: string;
  readonly arch: string;
  /** ABI version of Node, `process.versions.modules`; changes with each major version. */
  readonly nodeAbi: string;
  /** Version of Node, for error messages. */
  readonly nodeVersion: string;
  /** Version of glibc on this system; undefined: another C library. */
  readonly glibcVersion: string | undefined;
}

interface UwsNativeBuild {
  readonly packageName: string;
  readonly nodeAbi: string;
  /** The oldest version of glibc on which the build loads. */
  readonly minGlibcVersion: readonly [major: number, minor: number];
  readonly endsHead: boolean;
}

/** Builds of the native server, all for Linux on x64; package.json has their exact versions. */
const UWS_NATIVE_BUILDS: readonly UwsNativeBuild[] = [
  { packageName: '@uwsjs/linux-x64-20', nodeAbi: '115', minGlibcVersion: [2, 27], endsHead: false },
  { packageName: '@uwsjs/linux-x64-22', nodeAbi: '127', minGlibcVersion: [2, 27], endsHead: false },
  { packageName: '@uwsjs/linux-x64-24', nodeAbi: '137', minGlibcVersion: [2, 38], endsHead: true },
  { packageName: '@uwsjs/linux-x64-26', nodeAbi: '147', minGlibcVersion: [2, 38], endsHead: true },
];

/** Chooses the native build that fits this process. @throws Error that says why no build fits */
export function findUwsNativeBuild({
  platform,
  arch,
  nodeAbi,
  nodeVersion,
  glibcVersion,
}: HostPlatform): UwsNativeBuild {
  if (platform !== 'linux' || arch !== 'x64') throw new Error(`no build for ${platform} on ${arch}`);
  const build = UWS_NATIVE_BUILDS.find((one) => one.nodeAbi === nodeAbi);
  if (!build) throw new Error(`no build for Node ${nodeVersion}; there are some for 20, 22, 24 and 26`);
  const [major, minor] = build.minGlibcVersion;
  const needed = `glibc ${major}.${minor} or later`;
  if (glibcVersion === undefined)
    throw new Error(`its build for Node ${nodeVersion} needs ${needed}, and the C library here is another one`);
  const [hasMajor = 0, hasMinor = 0] = glibcVersion.split('.').map(Number);
  if (hasMajor < major || (hasMajor === major && hasMinor < minor)) {
    throw new Error(`its build for Node ${nodeVersion} needs ${needed}, and this system has ${glibcVersion}`);
  }
  return build;
}

interface ProcessReport {
  readonly header: { readonly glibcVersionRuntime?: string };
}

export function describeHostPlatform(): HostPlatform {
  const { platform, arch, versions } = process;
  // The types of Node 20 lack the field excludeNetwork. Without this field the report looks up host names of
  // connections, which can take seconds.
  const report = process.report as typeof process.report & { excludeNetwork?: boolean };
  report.excludeNetwork = true;
  const { header } = report.getReport() as unknown as ProcessReport;
  return {
    platform,
    arch,
    nodeAbi: versions.modules,
    nodeVersion: versions.node,
    glibcVersion: header.glibcVersionRuntime,
  };
}

/** Loads the native build for this process. @throws Error that says on one line why no build can be loaded */
export function loadUwsEngine(host: HostPlatform = describeHostPlatform()): UwsEngine {
  const { packageName, endsHead } = findUwsNativeBuild(host);
  try {
    return { uws: createRequire(import.meta.url)(packageName) as UwsModule, endsHead };
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    // The package is missing: npm installs only the packages for the Node version that runs npm.
    if (code === 'MODULE_NOT_FOUND')
      throw new Error(`${packageName} is not installed; "npm ci" with Node ${host.nodeVersion} installs it`);
    throw new Error(message.split('\n')[0]);
  }
}
