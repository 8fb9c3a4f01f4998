/** JSON as tests read it: shapes are checked against wire.json, so that narrow interfaces can be trusted afterwards. */
export type Fields = Readonly<Record<string, unknown>>;

export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: Fields;
}

export interface ApiEvent extends Fields {
  readonly id: number;
  readonly type: string;
  readonly op?: string;
}

export interface ApiMessage extends Fields {
  readonly id: number;
  readonly content: string;
  readonly subject: string;
  readonly flags: readonly string[];
  readonly sender_id: number;
}

export interface ApiStream extends Fields {
  readonly stream_id: number;
  readonly name: string;
  readonly color?: string;
  readonly subscribers?: readonly number[];
}

export interface ApiUser extends Fields {
  readonly user_id: number;
  readonly email: string;
  readonly full_name: string;
}
