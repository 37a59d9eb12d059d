import { describe, expect, test } from 'vitest';
import type { Settings } from '../../../../../preload/contract/settings.ts';
import {
  connectionProblems,
  isPlainRemote,
  isServiceUrl,
  settingsProblems,
} from '../../../../../renderer/views/settings/settingsCheck.ts';
import { snapshotOf } from '../../../../e2e/gallery/snapshots.ts';

const { settings: SETTINGS } = snapshotOf('long');

test('settings that can be saved have no problem; each wrong field has its own word', () => {
  expect(settingsProblems(SETTINGS)).toEqual({});
  const wrong: Settings = {
    ...SETTINGS,
    lanesMost: 0,
    bandwidth: 'fast',
    settleMs: Number.NaN,
    webhook: { enabled: true, bind: 'a b', port: 70_000, publicUrl: 'ftp://example.com' },
  };
  expect(Object.keys(settingsProblems(wrong)).toSorted()).toEqual(
    ['bandwidth', 'bind', 'lanesMost', 'port', 'publicUrl', 'settleMs'].toSorted(),
  );
});

describe('a new connection', () => {
  const form = {
    apiUrl: 'https://api.roboflow.com',
    projectsUrl: '',
    apiKey: 'key',
    workspace: '',
  };

  test('needs an address, and says what is wrong by field; a key may still come', () => {
    expect(connectionProblems(form)).toEqual({});
    expect(connectionProblems({ ...form, apiKey: '' })).toEqual({});
    const wrong = {
      ...form,
      apiUrl: 'roboflow',
      projectsUrl: 'x',
      apiKey: 'a b',
      workspace: 'a/b',
    };
    expect(Object.keys(connectionProblems(wrong))).toHaveLength(4);
  });

  test('an address does not carry a key', () => {
    expect(isServiceUrl('https://example.com/?api_key=1')).toBe(false);
    expect(isServiceUrl('https://ann:secret@example.com')).toBe(false);
    expect(isServiceUrl('http://127.0.0.1:8080')).toBe(true);
    const words = 'Leave the key out of the address, and enter it as the API key.';
    const apiUrl = 'https://example.com/?api_key=1';
    expect(connectionProblems({ ...form, apiUrl })).toEqual({ apiUrl: words });
    const projectsUrl = 'https://example.com/#typed-key';
    expect(connectionProblems({ ...form, projectsUrl, apiKey: 'typed-key' })).toEqual({
      projectsUrl: words,
    });
  });

  test('a key that travels readably to another computer is reported', () => {
    expect(isPlainRemote('http://example.com')).toBe(true);
    expect(isPlainRemote('http://127.0.0.1:1')).toBe(false);
    expect(isPlainRemote('https://example.com')).toBe(false);
    expect(isPlainRemote('nonsense')).toBe(false);
  });
});
