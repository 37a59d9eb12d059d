/** The reference service: a complete vision data service on this computer, for tests, benchmarks and the demo. */
import type { Server } from 'node:http';
import { openBlobStore } from './blobStore.ts';
import { CHARACTERS, type Character, type CharacterName } from './characters.ts';
import { createApi } from './fastifyApi.ts';
import { createFaults, type Faults } from './faults.ts';
import { createFrontDoor } from './frontDoor.ts';
import { createHooks, type HookAction, type HookMatch } from './hooks.ts';
import { createOtherComputer, type OtherComputer } from './otherComputer.ts';
import { createOutages, type Outage, type OutageOrder } from './outages.ts';
import { seedProjects } from './projectsState.ts';
import { createRequestLog, type LogEntry, type RequestLog } from './requestLog.ts';
import type { Dialect, Service } from './service.ts';
import { STANDARD_SETTINGS, type Settings } from './settings.ts';
import { createSigner } from './signedUrl.ts';
import { createState, type State } from './state.ts';
import { answerStorage } from './storage.ts';
import { createClock, type ClockMode, type ServiceClock } from './testClock.ts';

export interface ServiceOptions {
  /** 0 (default): any free port. */
  readonly port?: number;
  readonly apiKey?: string;
  readonly workspace?: string;
  readonly dialect?: Dialect;
  /** Answers 404 to everything beyond the specification's 18 operations. */
  readonly specOnly?: boolean;
  /** `manual`: time stands still until `clock.advance`. */
  readonly clock?: ClockMode;
  /** Time at which a manual clock begins, epoch ms. */
  readonly startAt?: number;
  /** What kind of service it is; `quick` by default. */
  readonly character?: CharacterName;
  /** Override the character's. */
  readonly settings?: Partial<Settings>;
  /** How far its clock is ahead of this computer's, ms; behind when negative. Overrides the character's. */
  readonly clockSkewMs?: number;
  /** Added before every answer, ms. */
  readonly latencyMs?: number;
  /** Called for each request when it is over. */
  readonly onRequest?: (entry: LogEntry) => void;
}

export interface ReferenceService {
  readonly url: string;
  readonly port: number;
  readonly apiKey: string;
  readonly workspace: string;
  readonly state: State;
  readonly clock: ServiceClock;
  readonly faults: Faults;
  readonly log: RequestLog;
  /** A second computer that writes into the same batches. */
  readonly otherComputer: OtherComputer;
  /** Starts an outage, for a period of time or until `end`. Resolves when it has begun. */
  outage(order: OutageOrder): Promise<Outage>;
  /** Runs an action while a client works; returns a function that removes it. */
  onRequest(match: HookMatch, action: HookAction): () => void;
  /** Bytes of an object, for comparison with what a client fetched. */
  bytes(objectId: string): Promise<Buffer>;
  /** Breaks every connection and refuses new ones until `plug`. */
  unplug(): Promise<void>;
  plug(): Promise<void>;
  /** Ends everything and removes the stored bytes. */
  close(): Promise<void>;
}

/** Starts a service on 127.0.0.1. */
export async function createReferenceService(
  options: ServiceOptions = {},
): Promise<ReferenceService> {
  const character: Character = CHARACTERS[options.character ?? 'quick'];
  const skewMs = options.clockSkewMs ?? character.clockSkewMs ?? 0;
  const clock = createClock(options.clock ?? 'real', options.startAt, skewMs);
  const blobs = await openBlobStore();
  let url = '';
  const service: Service = {
    state: createState({
      workspace: options.workspace ?? 'demo',
      apiKey: options.apiKey ?? 'demo-key',
      clock,
      settings: { ...STANDARD_SETTINGS, ...character.settings, ...options.settings },
      projects: seedProjects(clock.now()),
    }),
    blobs,
    signer: createSigner(() => url),
    dialect: options.dialect ?? 'spec',
    specOnly: options.specOnly ?? false,
  };
  const { state } = service;
  const faults = createFaults();
  const log = createRequestLog();
  const api = await createApi(service);
  const otherComputer = createOtherComputer(service);
  const hooks = createHooks();
  const outages = createOutages({
    clock,
    settings: state.settings,
    unplug: () => (server.listening ? shut(server) : Promise.resolve()),
    plug: async () => {
      if (!server.listening) await listen(server, port);
    },
  });
  const server: Server = createFrontDoor({
    clock,
    faults,
    outages,
    hooks,
    before: (entry) => otherComputer.joinIn(entry),
    statesDate: () => state.settings.statesTimes,
    log,
    latencyMs: options.latencyMs ?? 0,
    storage: (exchange) => answerStorage(service, exchange),
    api,
    onDone: options.onRequest ?? (() => undefined),
  });
  const port = await listen(server, options.port ?? 0);
  url = `http://127.0.0.1:${port}`;
  const unplug = (): Promise<void> => shut(server);
  return {
    url,
    port,
    apiKey: state.apiKey,
    workspace: state.workspace,
    state,
    clock,
    faults,
    log,
    otherComputer,
    outage: (order) => outages.begin(order),
    onRequest: (match, action) => hooks.on(match, action),
    bytes: async (objectId) => {
      const found = state.objectsById.get(objectId);
      if (found === undefined) throw new Error(`no object ${objectId}`);
      return blobs.read(found.object.blob, 0, found.object.sizeBytes);
    },
    unplug,
    plug: async () => {
      await listen(server, port);
    },
    close: async () => {
      clock.stop();
      if (server.listening) await unplug();
      await hooks.settled();
      try {
        await clock.settled();
      } finally {
        await blobs.close();
      }
    },
  };
}

function listen(server: Server, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', () => {
      server.off('error', reject);
      const address = server.address();
      resolve(typeof address === 'object' && address !== null ? address.port : port);
    });
  });
}

function shut(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}
