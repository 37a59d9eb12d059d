import { describe, expect, test } from 'vitest';
import { oneByIdOrName, projectFrom } from '../../../../main/cli/terminal/oneOf.ts';

const THINGS = [
  { id: 'a', name: 'Caps' },
  { id: 'b', name: 'Signs' },
  { id: 'c', name: 'Signs' },
  { id: 'Caps', name: 'Leaves' },
];

function idFor(wanted: string): string {
  const found = oneByIdOrName(THINGS, wanted, ({ id }) => id, 'thing');
  return found.ok ? found.value.id : `${found.error.code}: ${String(found.error.context['said'])}`;
}

test('an id goes before a name, and a name must be the only one', () => {
  expect(idFor('a')).toBe('a');
  expect(idFor('Caps')).toBe('Caps');
  expect(idFor('Leaves')).toBe('Caps');
  expect(idFor('Signs')).toBe(
    'usage.invalid: 2 of these are named Signs; name the thing by its id: b, c',
  );
  expect(idFor('signs')).toBe('service.notFound: no thing has the id or name signs');
});

describe('a project', () => {
  test.each([
    ['caps', 'demo', 'caps'],
    ['demo/caps', 'demo', 'caps'],
    ['demo/caps', null, 'caps'],
  ])('%s in %s is %s', (text, workspace, slug) => {
    expect(projectFrom(text, workspace)).toEqual({ ok: true, value: slug });
  });
  test.each([
    ['', 'demo'],
    ['other/caps', 'demo'],
    ['/caps', 'demo'],
    ['demo/', 'demo'],
    ['a/b/caps', null],
    ['two words', null],
    ['caps?x=1', null],
  ])('%j in %s is none', (text, workspace) => {
    expect(projectFrom(text, workspace)).toMatchObject({ error: { code: 'usage.invalid' } });
  });
});
