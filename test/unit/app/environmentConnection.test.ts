import { expect, test } from 'vitest';
import { environmentConnection } from '../../../main/app/environmentConnection.ts';

test('an address with a key in the environment is not used, because addresses are stored', () => {
  const logged: unknown[] = [];
  const read = (address: string, projects = '') =>
    environmentConnection(
      {
        SLUICE_API_KEY: 'the-key',
        SLUICE_API_URL: address,
        SLUICE_PROJECTS_URL: projects,
      },
      (event, facts) => logged.push(event, facts),
    );
  expect(read('https://a.example/?x=1')).toMatchObject({ apiUrl: 'https://a.example/?x=1' });
  expect(logged).toEqual([]);
  expect(read('https://ann:the-key@a.example')).toBeNull();
  expect(read('https://a.example', 'https://b.example/?token=the-key')).toBeNull();
  expect(logged).toContain('connection.keyInAddress');
  expect(JSON.stringify(logged)).not.toContain('the-key');
});
