/** The embedded face as a cluster of one. */
import { basic } from '../bench/faces.js';
import { Embedded } from '../clients/support/face.js';
import type { Child } from '../clients/support/process.js';
import { type Member, withoutLimits } from './cluster.js';

export class ChaosEmbedded {
  readonly members: readonly Member[];

  private constructor(private readonly face: Embedded) {
    this.members = [{ role: 'http', name: 'server', port: face.port, child: face.server }];
  }

  static async start(): Promise<ChaosEmbedded> {
    return new ChaosEmbedded(await Embedded.start(withoutLimits()));
  }

  get ports(): readonly number[] {
    return [this.face.port];
  }

  async owner(): Promise<string> {
    return basic(this.face.owner.email, this.face.owner.key);
  }

  async start(): Promise<Child> {
    await this.face.up();
    return this.face.server;
  }

  async stop(): Promise<void> {
    await this.face.stop();
  }

  writeLogs(): void {}
}
