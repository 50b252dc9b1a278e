/**
 * The account at rest: everything was answered, every process that could has closed.
 *
 * What must hold, per counter and process:
 *
 * - A process that *settled* (it closed, with nothing unsettled) and *stayed* (until the faults had ended)
 *   counts exactly: what the store holds of it = what its callers were told was applied or accepted, less the
 *   batches it reported as lost in a gap and the amounts it reported as dropped. What was refused counts
 *   nothing.
 * - Of a process that did not settle, a call whose outcome nobody knows, or that was only accepted, counts
 *   once or not at all. Of one that did not stay, a batch that the store lost counts or not, for nobody was
 *   there to send it again; nor can a process answer any more for a source that it gave up after a gap, if
 *   the store loses more of that one later. Everything else counts exactly; so nothing counts twice, whoever
 *   died.
 * - A request id counts at most once, whoever asks, and exactly once when a process that settled, stayed
 *   and reported no loss told a caller so.
 * - A batch is reported as lost only when the resend window reaches no further back.
 * - The store's value is the sum of what its log really added: Σ applied.
 * - While the store has lost nothing, the exact values of a counter are those of one linear order, in which
 *   no call takes effect before it was asked or after it was told.
 */
import assert from 'node:assert/strict';
import { RESEND_BOUNDS } from '../../packages/core/src/lanes/resend-window.ts';
import { extremes, isPossible, type Account } from './account.ts';
import { groupBy } from './group.ts';
import type { Ask, History } from './history.ts';
import { kindOf } from './keys.ts';
import { checkOrder } from './order.ts';
import type { Process } from './process.ts';
import type { Applied, Change, Server } from './server.ts';

/** A history that came to rest. */
export interface Rested {
  readonly history: History;
  readonly server: Server;
  readonly processes: readonly Process[];
}

export function checkAtRest(rested: Rested): void {
  const { history, server, processes } = rested;
  for (const process of processes) {
    checkEnd(process, history);
    checkGaps(process, server);
  }
  for (const key of new Set(history.asks.map((ask) => ask.key))) {
    checkStore(key, server);
    for (const process of processes) checkProcess(key, process, rested);
  }
  for (const [id, asks] of groupBy(history.asks, ({ requestId }) => requestId ?? '')) {
    if (id !== '') checkRequestId(asks, rested);
  }
  if (server.losses === 0) checkOrder(history, server);
}

/** Every caller of a process that lived was told something; what was told to be lost is counted. */
function checkEnd({ alive, name, report, tallystick, lostBatches, dropped, isSettled }: Process, { asks }: History): void {
  if (!alive) return;
  assert.ok(report !== undefined, `${name} never closed`);
  const mine = asks.filter(({ process }) => process === name);
  const waiting = mine.filter(({ outcome }) => outcome === 'pending');
  assert.equal(waiting.length, 0, `${name} closed and left callers waiting: ${JSON.stringify(waiting)}`);
  assert.ok(!isSettled || mine.every(({ outcome }) => outcome !== 'unknown'), `${name} settled, yet does not know an outcome`);
  assert.equal(tallystick.stats().lostBatches, lostBatches, `${name} counts the batches of its gaps`);
  assert.ok(!isSettled || [...dropped.keys()].every((key) => kindOf(key) === 'huge'), `${name} dropped more than runs into its range`);
  assert.equal(tallystick.stats().waiting, 0, `${name} counts nobody as waiting`);
}

/** Only what was answered too long ago is lost. A source that followed a gap holds older batches, too. */
function checkGaps({ name, gaps }: Process, { firstAppliedMs }: Server): void {
  for (const { source, partition, from, to, atMs } of gaps) {
    if (gaps.some((earlier) => earlier.partition === partition && earlier.atMs < atMs)) continue;
    for (let seq = from; seq <= to; seq++) {
      const ageMs = atMs - firstAppliedMs.get(`${source}/${partition}/${seq}`)!;
      assert.ok(ageMs >= RESEND_BOUNDS.forMs, `${name} lost batch ${seq} of ${source}, which is only ${ageMs} ms old`);
    }
  }
}

/** value = Σ applied. */
function checkStore(key: string, { log, replica }: Server): void {
  if (kindOf(key) === 'expiring') return;
  assert.equal(replica.read({ key }, 0).value, sum(log, key, () => true), `${key}: the store's value is the sum of what it applied`);
}

/** What the store holds of one process is what its callers were told. */
function checkProcess(key: string, process: Process, { history, server }: Rested): void {
  const account = accountOf(key, process, history.asks);
  for (const batch of server.missing.values()) {
    if (batch.process !== process.name) continue;
    const amount = sum([batch], key, isAnonymous);
    const fate = process.fateOf(batch.batch);
    if (!process.stayed || fate === 'givenUp') account.optional.push(-amount, ...droppedOf([batch], key));
    else if (fate === 'reported') account.certain -= amount;
  }
  const log = server.log.filter((batch) => batch.process === process.name);
  // A process that is gone does not hear, and so does not report, that an effect was refused as it came back.
  if (!process.isSettled) account.optional.push(...droppedOf(log, key));
  const held = sum(log, key, isAnonymous);
  const told = `${key}: the store holds ${held} of ${process.name}, possible were ${JSON.stringify(account)}`;
  // An effect that comes back after its counter has expired adds nothing any more.
  if (kindOf(key) === 'expiring' && server.losses > 0) assert.ok(held <= account.certain + extremes(account.optional).up, told);
  else assert.ok(isPossible(held, account), told);
}

/** What the callers of a process, those without request ids, were told of a counter. */
function accountOf(key: string, process: Process, asks: readonly Ask[]): Account {
  const account: Account = { certain: 0, optional: [], least: 0, most: 0 };
  for (const ask of asks) {
    if (ask.process === process.name && ask.key === key && ask.requestId === undefined) enter(ask, process.isSettled, account);
  }
  // What was dropped may have come back after a further loss, or belong to a request id.
  if (kindOf(key) === 'huge') account.optional.push(...(process.dropped.get(key) ?? []).map((amount) => -amount));
  return account;
}

function enter({ key, outcome, delta, added }: Ask, isSettled: boolean, account: Account): void {
  if (outcome === 'applied') {
    account.certain += added;
  } else if (outcome !== 'refused' && kindOf(key) === 'bounded') {
    account.least += Math.min(0, delta);
    account.most += Math.max(0, delta);
  } else if (outcome !== 'refused') {
    if (isSettled) account.certain += delta;
    else account.optional.push(delta);
  }
}

/** A request id counts once, and everybody who asks is told the first answer. */
function checkRequestId(asks: readonly Ask[], { server, processes }: Rested): void {
  const { key, requestId } = asks[0]!;
  const counted = changesOf(server.log, key, (change) => change.requestId === requestId && change.counted);
  const told = `${key}, request ${requestId}`;
  assert.ok(counted.length <= 1, `${told}: counted ${counted.length} times`);
  const safe = new Set(processes.filter(({ isSettled, stayed, lostBatches }) => isSettled && stayed && lostBatches === 0).map(({ name }) => name));
  const promised = asks.filter(({ process, outcome }) => safe.has(process) && (outcome === 'applied' || outcome === 'accepted') && kindOf(key) !== 'huge');
  if (promised.length > 0) assert.equal(counted.length, 1, `${told}: promised by ${promised[0]!.process}, not counted`);
  if (asks.every(({ outcome }) => outcome === 'refused')) assert.equal(counted.length, 0, `${told}: refused, yet counted`);
  const answered = asks.filter(({ outcome, process }) => outcome === 'applied' && (server.losses === 0 || (safe.has(process) && kindOf(key) !== 'huge')));
  // Where the store lost the first answer, another process may have counted the request anew before this one sent it again.
  const countedBy = new Set(asks.filter(({ outcome, replayed }) => outcome === 'applied' && !replayed).map(({ process }) => process));
  for (const ask of answered) {
    if (server.losses > 0 && [...countedBy].some((process) => process !== ask.process)) continue;
    const first = answered.find(({ process }) => server.losses === 0 || process === ask.process)!;
    assert.equal(`${ask.value} ${ask.added}`, `${first.value} ${first.added}`, `${told}: not the first answer`);
  }
  if (server.losses === 0) assert.ok(answered.filter(({ replayed }) => !replayed).length <= 1, `${told}: two first answers`);
}

const isAnonymous = ({ requestId }: Change): boolean => requestId === undefined;

function changesOf(batches: readonly Applied[], key: string, wanted: (change: Change) => boolean): Change[] {
  return batches.flatMap(({ changes }) => changes.filter((change) => change.key === key && wanted(change)));
}

/** What effects that were refused as they came back take away. */
const droppedOf = (batches: readonly Applied[], key: string): number[] => changesOf(batches, key, ({ dropped }) => dropped !== 0).map(({ dropped }) => -dropped);

const sum = (batches: readonly Applied[], key: string, wanted: (change: Change) => boolean): number =>
  changesOf(batches, key, wanted).reduce((total, { delta }) => total + delta, 0);
