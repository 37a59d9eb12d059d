/** `dialog`: answered by the running test, or in the terminal when the host was started manually. */
import { createInterface } from 'node:readline/promises';
import { strictModule } from './notOnHost.ts';
import { records, underTest } from './records.ts';

type Settings = Readonly<Record<string, unknown>>;
type Answer = Readonly<Record<string, unknown>>;
type Kind = 'showOpenDialog' | 'showSaveDialog' | 'showMessageBox';

/** The settings of a call whose first argument may be a window. */
function settingsOf(args: readonly unknown[]): Settings {
  const last = args.at(-1);
  return typeof last === 'object' && last !== null ? { ...last } : {};
}

function textOf(settings: Settings): string {
  return String(settings['title'] ?? settings['message'] ?? settings['buttonLabel'] ?? '');
}

/** The answer that a test prepared; a dialog without one fails that test. */
function queued(kind: string, settings: Settings): Answer {
  const answer = records.answers.shift();
  if (typeof answer === 'object' && answer !== null) return { ...answer };
  const title = textOf(settings);
  records.unanswered.push({ dialog: kind, title });
  throw new Error(`dialog.${kind} opened ("${title}"), but the test queued no answer for it.`);
}

function complete(kind: Kind, answer: Answer): Answer {
  if (kind === 'showMessageBox') return { response: 0, checkboxChecked: false, ...answer };
  const canceled = answer['canceled'] ?? false;
  if (kind === 'showSaveDialog') return { filePath: '', ...answer, canceled };
  return { filePaths: [], ...answer, canceled };
}

async function show(kind: Kind, args: readonly unknown[]): Promise<Answer> {
  const settings = settingsOf(args);
  if (underTest()) return complete(kind, queued(kind, settings));
  return askInTerminal(kind, settings);
}

async function askInTerminal(kind: Kind, settings: Settings): Promise<Answer> {
  const cancelled = { canceled: true, response: Number(settings['cancelId'] ?? 0) };
  if (!process.stdin.isTTY) return complete(kind, cancelled);
  const terminal = createInterface({ input: process.stdin, output: process.stdout });
  try {
    console.log(`\n${textOf(settings)}\n${String(settings['detail'] ?? '')}`);
    if (kind === 'showMessageBox') {
      const buttons: unknown = settings['buttons'];
      const labels = Array.isArray(buttons) ? buttons.map(String) : ['OK'];
      const number = await terminal.question(
        `${labels.map((b, i) => `${i}: ${b}`).join('  ')}\n> `,
      );
      return complete(kind, { response: Number(number) || 0 });
    }
    const path = (await terminal.question('Path (empty cancels): ')).trim();
    if (path === '') return complete(kind, cancelled);
    return complete(kind, kind === 'showSaveDialog' ? { filePath: path } : { filePaths: [path] });
  } finally {
    terminal.close();
  }
}

/** The export `dialog`. */
export const dialog = strictModule('dialog', {
  showOpenDialog: (...args: unknown[]) => show('showOpenDialog', args),
  showSaveDialog: (...args: unknown[]) => show('showSaveDialog', args),
  showMessageBox: (...args: unknown[]) => show('showMessageBox', args),
  showErrorBox: (title: string, content: string): void => {
    console.error(`${title}\n${content}`);
    records.unanswered.push({ dialog: 'showErrorBox', title });
  },
});
