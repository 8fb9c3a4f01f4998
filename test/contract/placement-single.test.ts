import t from 'tap';
import { toPartition } from '#model';
import { SingleHostPlacement } from '#ports/placement';
import { MemoryEpochs, placementContract, RecordingOwner } from './placement.js';

placementContract(t, 'SinglePlacement', async () => {
  const store = new MemoryEpochs();
  return { store, host: () => new SingleHostPlacement(store), close: async () => {} };
});

t.test('after a failed start the host owns nothing and can start again', async (t) => {
  const store = new MemoryEpochs();
  const [host, owner] = [new SingleHostPlacement(store), new RecordingOwner()];
  store.fail = true;
  await t.rejects(host.start(owner), { message: 'the store is away' });
  store.fail = false;
  owner.takeFails = true;
  await t.rejects(host.start(owner), { message: 'can not take' });
  t.notOk(host.mayAnswer(toPartition(0)));
  owner.takeFails = false;
  await host.start(owner);
  t.ok(host.mayAnswer(toPartition(0)));
});
