/** Custom profile fields, and what people fill into them. */
import type { UserId } from '#model';

/** A field that every human of the organization can fill in (realm.md § Custom profile fields). */
export interface DirectoryProfileField {
  readonly id: number;
  /** 1 short text … 8 pronouns (people/profile/profile-fields.ts); never changes. */
  readonly type: number;
  readonly name: string;
  readonly hint: string;
  /** JSON text; '' for types that need none. */
  readonly data: string;
  readonly order: number;
  readonly inSummary: boolean;
  /** Options that came after the field: [key, realm version]. What was chosen up to then was another option of that key. */
  readonly added: readonly (readonly [string, number])[];
}

/** What a human has filled in; fields and options that are gone may still be among it. */
export interface DirectoryProfile {
  readonly user: UserId;
  readonly values: { readonly [field: string]: ProfileValue };
}

export interface ProfileValue {
  /** As the API sends it. */
  readonly value: string;
  /** HTML; '' for types that are not rendered. */
  readonly rendered: string;
  /** Realm version of the commit that set it. */
  readonly at: number;
}

/** As user objects show it: field id → value. */
export interface ProfileData {
  readonly [field: string]: { readonly value: string; readonly rendered_value?: string };
}
