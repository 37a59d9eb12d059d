/** Reads the JSON reports of the test runners: how many tests passed, and which ones failed. */

/** A runner whose report can be read. */
export type Runner = 'vitest' | 'playwright';

/** Test counts of a stage. */
export interface Counts {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
}

/** Reads the counts from a runner's JSON report; a test that passed only on a retry counts as failed. */
export function readCounts(runner: Runner, report: string): Counts {
  const unreadable = { passed: 0, failed: 1, skipped: 0 };
  try {
    const found = JSON.parse(report);
    const { stats } = found;
    const [passed, failed, skipped] =
      runner === 'vitest'
        ? [found.numPassedTests, found.numFailedTests, found.numPendingTests]
        : [stats.expected, stats.unexpected + stats.flaky, stats.skipped];
    const whole = [passed, failed, skipped].every((figure) => Number.isInteger(figure));
    return whole ? { passed, failed, skipped } : unreadable;
  } catch {
    return unreadable;
  }
}

/** One paragraph per failed test: its file, its name and the beginning of its message. Empty when the report cannot be read. */
export function readFailures(runner: Runner, report: string): readonly string[] {
  try {
    const found = JSON.parse(report);
    return runner === 'vitest'
      ? found.testResults.flatMap(failuresOfFile)
      : failuresOfSuites(found.suites);
  } catch {
    return [];
  }
}

interface VitestFile {
  readonly name: string;
  readonly message?: string;
  readonly assertionResults: readonly {
    readonly status: string;
    readonly fullName: string;
    readonly failureMessages: readonly string[];
  }[];
}

function failuresOfFile(file: VitestFile): readonly string[] {
  const failed = file.assertionResults.filter(({ status }) => status === 'failed');
  // A file that could not be loaded has its own message and no tests.
  if (failed.length === 0) return file.message ? [paragraph(file.name, [file.message])] : [];
  return failed.map((test) => paragraph(`${file.name} › ${test.fullName}`, test.failureMessages));
}

interface PlaywrightSuite {
  readonly suites?: readonly PlaywrightSuite[];
  readonly specs?: readonly {
    readonly file: string;
    readonly title: string;
    readonly tests: readonly {
      readonly status: string;
      readonly results: readonly { readonly error?: { readonly message?: string } }[];
    }[];
  }[];
}

function failuresOfSuites(suites: readonly PlaywrightSuite[]): readonly string[] {
  return suites.flatMap((suite) => [
    ...failuresOfSuites(suite.suites ?? []),
    ...(suite.specs ?? []).flatMap((spec) =>
      spec.tests
        .filter(({ status }) => status === 'unexpected' || status === 'flaky')
        .map(({ results }) =>
          paragraph(
            `${spec.file} › ${spec.title}`,
            results.flatMap(({ error }) => error?.message ?? []),
          ),
        ),
    ),
  ]);
}

/** Enough lines of a message to see what was expected, and where. */
const LINES = 12;

function paragraph(heading: string, messages: readonly string[]): string {
  const said = messages.map((message) => message.trimEnd().split('\n').slice(0, LINES).join('\n'));
  return [heading, ...said].join('\n').replaceAll('\n', '\n    ');
}
