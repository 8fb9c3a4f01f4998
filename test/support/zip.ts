/** Builder of zip files for tests, including invalid ones that no program would write. */
import { crc32, deflateRawSync } from 'node:zlib';

export interface ZippedFile {
  readonly path: string;
  readonly text?: string;
  /** Stored without compression. */
  readonly isStored?: boolean;
  /** Values for the central directory that may contradict the file. */
  readonly flags?: number;
  readonly method?: number;
  readonly crc?: number;
  readonly bytes?: number;
  readonly unixMode?: number;
  /** Index of the file whose stored bytes this entry points to instead of its own. */
  readonly sharesBytesOf?: number;
}

/**
 * Builds a zip.
 * @param count number of files that the end record claims; the real number by default
 */
export function makeZip(files: readonly ZippedFile[], count = files.length): Buffer {
  const bodies: Buffer[] = [];
  const list: Buffer[] = [];
  const offsets: number[] = [];
  let at = 0;
  for (const file of files) {
    const name = Buffer.from(file.path);
    const plain = Buffer.from(file.text ?? '');
    const packed = file.isStored ? plain : deflateRawSync(plain);
    const header = Buffer.alloc(30);
    header.writeUInt32LE(0x04034b50, 0);
    header.writeUInt16LE(name.length, 26);
    offsets.push(file.sharesBytesOf === undefined ? at : offsets[file.sharesBytesOf]!);
    bodies.push(header, name, packed);
    at += header.length + name.length + packed.length;
    const entry = Buffer.alloc(46);
    entry.writeUInt32LE(0x02014b50, 0);
    entry.writeUInt8(3, 5);
    entry.writeUInt16LE(file.flags ?? 0x800, 8);
    entry.writeUInt16LE(file.method ?? (file.isStored ? 0 : 8), 10);
    entry.writeUInt32LE(file.crc ?? crc32(plain), 16);
    entry.writeUInt32LE(packed.length, 20);
    entry.writeUInt32LE(file.bytes ?? plain.length, 24);
    entry.writeUInt16LE(name.length, 28);
    entry.writeUInt16LE(file.unixMode ?? 0o100644, 40);
    entry.writeUInt32LE(offsets.at(-1)!, 42);
    list.push(entry, name);
  }
  const central = Buffer.concat(list);
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50, 0);
  end.writeUInt16LE(count, 10);
  end.writeUInt32LE(central.length, 12);
  end.writeUInt32LE(at, 16);
  return Buffer.concat([...bodies, central, end]);
}
