/** A simulated computer: a disk, a wall clock, a ledger, and one process of Sluice at a time, which can be killed. */
import { openEngine, type Engine } from '../../main/engine/host/engine.ts';
import { errorOf, sluiceError } from '../../main/engine/core/errors.ts';
import type { Ports } from '../../main/engine/core/ports.ts';
import type { Store } from '../../main/engine/store/store.ts';
import type { SluiceError } from '../../preload/contract/errors.ts';
import { createClock, createWallClock, type WallClock } from './clocks.ts';
import type { Dice } from './dice.ts';
import { createDisk, type Disk } from './disk.ts';
import type { LedgerFiles } from './ledgerFiles.ts';
import { createLife, type Life } from './life.ts';
import { createMemoryFiles } from './memoryFiles.ts';
import type { ModelService } from './modelService.ts';
import { type ComputerPlan, type DiskSpell, type Plan, ROOT } from './plan.ts';
import { createSimStore, type SimStore } from './simStore.ts';
import type { Timeline } from './timeline.ts';
import type { Trace } from './trace.ts';
import type { Weather } from './weather.ts';
import { createWire } from './wire.ts';

/** The world around a computer. */
export interface Ground {
  readonly timeline: Timeline;
  readonly plan: Plan;
  readonly service: ModelService;
  readonly weather: Weather;
  readonly trace: Trace;
  readonly ledgers: LedgerFiles;
  /** Changes the ports of every process; a test breaks them with it. */
  readonly sabotage: (ports: Ports) => Ports;
}

/** What a program receives. */
export interface Process {
  readonly ports: Ports;
  readonly store: Store;
  readonly dataDirectory: string;
}

/** How a program ended: with its own result word, or with an error that kept it from running. */
export type ProgramEnd =
  | { readonly kind: 'ended'; readonly word: string }
  | { readonly kind: 'failed'; readonly error: SluiceError }
  | { readonly kind: 'killed' };

export type Program = (process: Process) => Promise<string>;

export interface Computer {
  readonly plan: ComputerPlan;
  readonly disk: Disk;
  readonly wall: WallClock;
  /** Content of results (SHA-256) that the user changed or deleted. */
  readonly spoiled: Set<string>;
  /** When its ledger was lost, and when the copy was made that took its place, in virtual time; null if it was not lost. */
  ledgerLost(): LedgerLoss | null;
  /**
   * Loses the ledger: the next process begins with an empty one, or with the copy that the plan names. Must be called while nothing runs.
   */
  loseLedger(): void;
  /** Runs a program in its own process; one at a time. */
  run(program: Program): Promise<ProgramEnd>;
  /** Ends the running process like a power cut; does nothing if none runs. */
  kill(): void;
  running(): Process | null;
  /** Where the ledger is now. */
  dataDirectory(): string;
}

export interface LedgerLoss {
  readonly at: number;
  /** null for an empty ledger. */
  readonly copiedAt: number | null;
}

interface Running {
  readonly process: Process;
  readonly life: Life;
  readonly engine: Engine;
  readonly killed: (end: ProgramEnd) => void;
}

function spellAt(plan: ComputerPlan, at: number, kind: DiskSpell['kind']): boolean {
  return plan.spells.some((spell) => spell.kind === kind && spell.from <= at && at < spell.to);
}

function awayAt({ troubles }: ComputerPlan, at: number): 'gone' | 'empty' | null {
  const spell = troubles.away.find(({ from, to }) => from <= at && at < to);
  return spell === undefined ? null : spell.isEmpty ? 'empty' : 'gone';
}

/** The disk as a program sees it while the directory of the user is away. */
function withAway(disk: Disk, away: () => 'gone' | 'empty' | null): Disk {
  const hides = (path: string): boolean =>
    away() !== null && (path.startsWith(`${ROOT}/`) || (path === ROOT && away() === 'gone'));
  return {
    ...disk,
    get: (path) => (hides(path) ? null : disk.get(path)),
    names: (directory) => (away() !== null && hides(`${directory}/`) ? [] : disk.names(directory)),
  };
}

/** Creates a computer that is switched on and runs nothing yet. */
export function createComputer(ground: Ground, plan: ComputerPlan, dice: Dice): Computer {
  const { timeline, trace, ledgers, service, weather } = ground;
  const wall = createWallClock(timeline, plan.offsetMs);
  const disk = createDisk(wall);
  let directory = ledgers.fresh();
  let lost: LedgerLoss | null = null;
  let copy: { readonly directory: string; readonly at: number } | null = null;
  let current: Running | null = null;
  let number = 0;
  const isFull = (): boolean => spellAt(plan, timeline.now(), 'full');
  const isBusy = (): boolean => spellAt(plan, timeline.now(), 'busy');

  const portsOf = (life: Life, own: Dice): Ports => {
    const log: Ports['log'] = {
      write: (level, event, facts) =>
        trace.note(`${plan.name} ${level} ${event} ${JSON.stringify(facts ?? {})}`),
    };
    const files = createMemoryFiles({
      disk: withAway(disk, () => awayAt(plan, timeline.now())),
      life,
      dice: own.stream('files'),
      trouble: {
        read: () => (isBusy() && own.chance(0.3) ? 'file.busy' : null),
        write: () => (isFull() ? 'disk.full' : null),
      },
    });
    const http = createWire({
      timeline,
      life,
      dice: own.stream('wire'),
      weather,
      service,
      who: plan.name,
      trace,
      lateCommitMs: ground.plan.character.lateCommitMs,
      onUpload: createKillCount(plan.troubles.killUploads),
    });
    const random = own.stream('random');
    const clock = createClock(timeline, wall, life, plan.grainMs);
    return ground.sabotage({ clock, files, http, log, random });
  };

  const begin = (
    life: Life,
    own: Dice,
  ): { sim: SimStore; engine: Engine; ports: Ports } | SluiceError => {
    const ports = portsOf(life, own);
    if (isFull()) return sluiceError('disk.full', { said: 'simulated' });
    const engine = openEngine(directory, plan.name, ports);
    if (!engine.ok) return engine.error;
    // A commit survives the death of the process as soon as it returns; syncing would only matter for a power loss.
    engine.value.store.run('PRAGMA synchronous = OFF');
    return {
      engine: engine.value,
      ports,
      sim: createSimStore(engine.value.store, life, own.stream('ledger'), {
        isFull,
        onCommit: createKillCount(plan.killCommits),
      }),
    };
  };

  const kill = (): void => {
    const dead = current;
    if (dead === null) return;
    current = null;
    dead.life.kill();
    const before = directory;
    directory = ledgers.afterKill(before);
    dead.engine.close();
    ledgers.discard(before);
    trace.note(`${plan.name} is killed`);
    dead.killed({ kind: 'killed' });
  };

  /** Counts what the current process does; the one that the plan names is its last. */
  const createKillCount = (lasts: readonly number[]): (() => void) => {
    const last = lasts[number - 1];
    let count = 0;
    return () => {
      count += 1;
      if (count === last && timeline.now() < ground.plan.calmAt) timeline.after(0, kill);
    };
  };

  const run: Computer['run'] = async (program) => {
    const life = createLife(timeline);
    const own = dice.stream(`process ${(number += 1)}`);
    trace.note(`${plan.name} starts process ${number}`);
    const begun = begin(life, own);
    if ('code' in begun) return { kind: 'failed', error: begun };
    const { sim, engine, ports } = begun;
    const process: Process = { ports, store: sim.store, dataDirectory: directory };
    const ended = program(process)
      .then((word): ProgramEnd => ({ kind: 'ended', word }))
      .catch((thrown: unknown): ProgramEnd => ({ kind: 'failed', error: errorOf(thrown) }));
    const end = await new Promise<ProgramEnd>((resolve) => {
      current = { process, life, engine, killed: resolve };
      void ended.then(resolve);
    });
    if (end.kind !== 'killed') {
      sim.end();
      current = null;
      life.kill();
      engine.close();
    }
    return end;
  };

  return {
    plan,
    disk,
    wall,
    spoiled: new Set(),
    ledgerLost: () => lost,
    loseLedger: () => {
      trace.note(
        `${plan.name} loses its ledger${copy === null ? '' : '; an older copy is restored'}`,
      );
      ledgers.discard(directory);
      directory = copy?.directory ?? ledgers.fresh();
      lost = { at: timeline.now(), copiedAt: copy?.at ?? null };
    },
    run: async (program) => {
      const end = await run(program);
      if (plan.ledgerCopiedAfter === number)
        copy = { directory: ledgers.afterKill(directory), at: timeline.now() };
      return end;
    },
    kill,
    running: () => current?.process ?? null,
    dataDirectory: () => directory,
  };
}
