/**
 * Byte arrays that a link carries once and refers to afterwards, such as the encoded users in the answers of many
 * registrations. The sender chooses them: an array that travels for the second time is kept by the other end, under a
 * number. The kept arrays are found by identity, so the sender must send the same array again, not an equal one.
 */

/** Size below which an array is not kept, bytes. */
const MIN_KEPT_BYTES = 1_024;
/** Most that one end of a link keeps for the other, bytes. Beyond it the arrays that were unused for longest go. */
const MAX_KEPT_BYTES = 128 * 1024 * 1024;

/** Stands for a kept array in the head of a frame. */
export class KeptBlobRef {
  constructor(readonly number: number) {}
}

interface SentBlob {
  /** Undefined for an array that was sent once and is not kept. */
  ref: KeptBlobRef | undefined;
  readonly byteLength: number;
}

/** Changes for the other end to apply after a frame: arrays of that frame to keep, and others to forget. */
export interface KeptBlobChanges {
  readonly kept: (readonly [number: number, bytes: Uint8Array])[];
  readonly forgotten: number[];
}

/** The sender's side: the arrays that the other end keeps. */
export class SentBlobs {
  readonly #sentBlobByBytes = new WeakMap<Uint8Array, SentBlob>();
  /** By number, least recently sent first. */
  readonly #keptBlobs = new Map<number, SentBlob>();
  #keptByteCount = 0;
  #lastNumber = 0;
  #changes: KeptBlobChanges | undefined;
  /** An array that was collected can't be sent again. */
  readonly #collected = new FinalizationRegistry<number>((number) => {
    const blob = this.#keptBlobs.get(number);
    if (blob) this.#forget(number, blob);
  });

  constructor(private readonly maxKeptBytes = MAX_KEPT_BYTES) {}

  /** Reference to an array that the other end keeps; undefined: it must travel. Call it once per frame and array. */
  refOf(bytes: Uint8Array): KeptBlobRef | undefined {
    const { byteLength } = bytes;
    if (byteLength < MIN_KEPT_BYTES) return undefined;
    const blob = this.#sentBlobByBytes.get(bytes);
    if (!blob) {
      this.#sentBlobByBytes.set(bytes, { ref: undefined, byteLength });
      return undefined;
    }
    const { ref } = blob;
    if (ref) {
      this.#keptBlobs.delete(ref.number);
      this.#keptBlobs.set(ref.number, blob);
      return ref;
    }
    this.#keep(bytes, blob);
    return undefined;
  }

  /** Takes the changes that the next frame must announce; undefined if there are none. */
  takeChanges(): KeptBlobChanges | undefined {
    const changes = this.#changes;
    this.#changes = undefined;
    return changes;
  }

  #keep(bytes: Uint8Array, blob: SentBlob): void {
    if (blob.byteLength > this.maxKeptBytes) return;
    const number = ++this.#lastNumber;
    blob.ref = new KeptBlobRef(number);
    this.#keptBlobs.set(number, blob);
    this.#keptByteCount += blob.byteLength;
    this.#collected.register(bytes, number);
    this.#changesToAnnounce().kept.push([number, bytes]);
    for (const [oldest, other] of this.#keptBlobs) {
      if (this.#keptByteCount <= this.maxKeptBytes) break;
      this.#forget(oldest, other);
    }
  }

  #forget(number: number, blob: SentBlob): void {
    blob.ref = undefined;
    this.#keptBlobs.delete(number);
    this.#keptByteCount -= blob.byteLength;
    this.#changesToAnnounce().forgotten.push(number);
  }

  #changesToAnnounce(): KeptBlobChanges {
    this.#changes ??= { kept: [], forgotten: [] };
    return this.#changes;
  }
}

/** The receiver's side: the arrays that it keeps for the sender, by number. */
export class KeptBlobs {
  readonly #bytesByNumber = new Map<number, Uint8Array>();

  get(number: number): Uint8Array {
    const bytes = this.#bytesByNumber.get(number);
    if (!bytes) throw new Error(`the link keeps no bytes under ${number}`);
    return bytes;
  }

  apply({ kept, forgotten }: KeptBlobChanges): void {
    // A copy: the bytes are a view of their whole frame.
    for (const [number, bytes] of kept) this.#bytesByNumber.set(number, bytes.slice());
    for (const number of forgotten) this.#bytesByNumber.delete(number);
  }
}
