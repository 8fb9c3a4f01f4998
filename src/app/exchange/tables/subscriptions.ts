/** Subscriptions of an import in compact form: thousands of people may each have hundreds, ended ones too. */
import { SUBSCRIPTION_PART_PREFIX } from '#actors/user';
import { type Json, withDoubledLength } from '#base';
import type { Subscription } from '#domain/streams';

type SubscriptionProperties = Omit<Subscription, 'stream'>;

/** The subscriptions of one user: pairs of a stream and an index into the distinct properties. */
interface UserSubscriptions {
  pairs: Uint32Array;
  length: number;
}

const FIRST_CAPACITY = 8;
const NO_SUBSCRIPTIONS: UserSubscriptions = { pairs: new Uint32Array(), length: 0 };

export class ImportedSubscriptions {
  readonly #subscriptionsByUserId = new Map<number, UserSubscriptions>();
  /** Most subscriptions have the properties of many others. */
  readonly #distinctProperties: SubscriptionProperties[] = [];
  readonly #propertiesIndexByKey = new Map<string, number>();

  /** Adds a subscription. The last one of a user and stream counts. */
  addSubscription(user: number, { stream, ...properties }: Subscription): void {
    let own = this.#subscriptionsByUserId.get(user);
    if (!own) {
      own = { pairs: new Uint32Array(FIRST_CAPACITY), length: 0 };
      this.#subscriptionsByUserId.set(user, own);
    }
    if (own.length === own.pairs.length) own.pairs = withDoubledLength(own.pairs);
    own.pairs[own.length++] = stream;
    own.pairs[own.length++] = this.#getOrAddPropertiesIndex(properties);
  }

  hasSubscription(user: number, stream: number): boolean {
    const { pairs, length } = this.#subscriptionsByUserId.get(user) ?? NO_SUBSCRIPTIONS;
    for (let i = 0; i < length; i += 2) if (pairs[i] === stream) return true;
    return false;
  }

  /** Makes the parts of a user's actor: a map, because V8 is slow with hundreds of computed properties. */
  makePartsOfUser(user: number): ReadonlyMap<string, Json> {
    const parts = new Map<string, Json>();
    const { pairs, length } = this.#subscriptionsByUserId.get(user) ?? NO_SUBSCRIPTIONS;
    for (let i = 0; i < length; i += 2) {
      const stream = pairs[i]!;
      parts.set(`${SUBSCRIPTION_PART_PREFIX}${stream}`, { stream, ...this.#distinctProperties[pairs[i + 1]!]! });
    }
    return parts;
  }

  #getOrAddPropertiesIndex(properties: SubscriptionProperties): number {
    const key = JSON.stringify(properties);
    let index = this.#propertiesIndexByKey.get(key);
    if (index === undefined) {
      index = this.#distinctProperties.push(properties) - 1;
      this.#propertiesIndexByKey.set(key, index);
    }
    return index;
  }
}
