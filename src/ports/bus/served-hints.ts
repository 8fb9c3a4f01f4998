/** Of one client of a bus: what it must tell the others that it serves now, and whom here to tell what others serve. */
export class ServedHints {
  readonly #listeners: ((subject: string) => void)[] = [];
  #begun: string[] = [];

  listen(fn: (subject: string) => void): void {
    this.#listeners.push(fn);
  }

  told(subjects: readonly string[]): void {
    for (const subject of subjects) for (const fn of this.#listeners) fn(subject);
  }

  begun(subject: string): void {
    this.#begun.push(subject);
  }

  /** What the others have not been told yet; from now on they have. */
  take(): readonly string[] {
    const begun = this.#begun;
    this.#begun = [];
    return begun;
  }
}
