import type { Blobs } from './blobs.js';

declare module '../../runtime/kind.js' {
  interface HostServices {
    readonly blobs: Blobs;
  }
}
