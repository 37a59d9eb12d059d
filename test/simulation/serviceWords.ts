/** Requests and answers of the model service, and the types that all of its parts use. */
import type { Character } from './character.ts';
import { EPOCH_MS } from './clocks.ts';
import type { Dice } from './dice.ts';
import type { ServiceState } from './serviceState.ts';

export interface ServiceRequest {
  readonly method: string;
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
  /** The computer or other program that sends the request. */
  readonly writer: string;
}

export interface ServiceAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

/** A route returns an answer, or null when the request is not for it. `rest`: the path after the workspace. */
export type Route = (request: ServiceRequest, rest: readonly string[]) => ServiceAnswer | null;

/** What every route works with. */
export interface RouteGround {
  readonly state: ServiceState;
  readonly character: Character;
  readonly dice: Dice;
}

export const API_URL = 'https://api.sim.example';
export const STORAGE_URL = 'https://store.sim.example';
export const KEY = 'sim-key-000000000000000000000000';
export const WORKSPACE = 'acme';

export function json(status: number, value: unknown): ServiceAnswer {
  return {
    status,
    headers: { 'content-type': 'application/json' },
    body: Buffer.from(JSON.stringify(value)),
  };
}

export function refusal(status: number, error: string): ServiceAnswer {
  return json(status, { error });
}

/** A timestamp by the service's clock, ISO. */
export function serviceDate(character: Character, at: number): string {
  return new Date(EPOCH_MS + character.skewMs + at).toISOString();
}
