/** Custom profile fields and their values. */
import type { UserId } from '#model';

/** A field that every human of the organization can fill in (realm.md § Custom profile fields). */
export interface DirectoryProfileField {
  readonly id: number;
  /** Type of the profile field: 1 short text … 8 pronouns (people/profile/profile-fields.ts); it never changes. */
  readonly type: number;
  readonly name: string;
  readonly hint: string;
  /** JSON text of the field's data; '' for types that need none. */
  readonly data: string;
  readonly order: number;
  readonly inSummary: boolean;
  /**
   * Options added after the field was made: [key, realm version]. A user's value chosen up to that version belongs to
   * an earlier, removed option with the same key.
   */
  readonly added: readonly (readonly [string, number])[];
}

/** Profile values of a user. Values of removed fields and options may still be among them. */
export interface DirectoryUserProfileValues {
  readonly user: UserId;
  readonly values: { readonly [field: string]: ProfileFieldValue };
}

export interface ProfileFieldValue {
  /** Value in the form in which the API sends it. */
  readonly value: string;
  /** HTML of the value; '' for types that are not rendered. */
  readonly rendered: string;
  /** Realm version of the commit that set the value. */
  readonly at: number;
}

/** Profile values as user objects show them: field id → value. */
export interface ApiProfileData {
  readonly [field: string]: { readonly value: string; readonly rendered_value?: string };
}
