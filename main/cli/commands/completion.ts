/** `sluice completion bash|zsh|fish`: a shell script made from the table of commands. Completing does not run Sluice. */
import type { Action } from '../session/context.ts';
import { GLOBAL_OPTIONS } from '../options/globals.ts';
import { SHELLS } from '../options/thisComputer.ts';
import { COMMANDS, subcommandsOf } from '../options/pages.ts';
import type { Options, OptionSpec, Page } from '../options/types.ts';
import { choiceOf } from '../terminal/args.ts';

/** A point at which the shell completes, such as after `batch files`. */
interface Place {
  readonly words: string;
  /** Sub-commands, or the choices of the first operand, with their descriptions. */
  readonly next: Readonly<Record<string, string>>;
  readonly options: Options;
  /** False when only what is in `next` can follow, such as after `batch`. */
  readonly takesPath: boolean;
}

function placeOf(words: string, page: Page, pages: Readonly<Record<string, Page>>): Place {
  const choices = (page.operandChoices ?? []).map((choice) => [choice, page.about] as const);
  const commands = Object.entries(pages).map(([name, { about }]) => [name, about] as const);
  const next = Object.fromEntries([...commands, ...choices]);
  const takesPath = page.operands !== undefined && page.operandChoices === undefined;
  return { words, next, options: { ...page.options, ...GLOBAL_OPTIONS }, takesPath };
}

/** Every point at which the shell completes, from the program itself down to each sub-command. */
function places(): readonly Place[] {
  const help = {
    about: 'show the help of a command',
    examples: ['sluice help watch add'],
  } as const;
  const commands = Object.entries(COMMANDS);
  const names = Object.fromEntries(commands);
  return [
    placeOf('', { about: '', examples: [''] }, { ...names, help }),
    placeOf('help', help, names),
    ...commands.flatMap(([name, command]) => {
      const pages = subcommandsOf(command);
      return [
        placeOf(name, command, pages),
        placeOf(`help ${name}`, help, pages),
        ...Object.entries(pages).map(([sub, page]) => placeOf(`${name} ${sub}`, page, {})),
      ];
    }),
  ];
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

function bashCase({ words, next, options }: Place): string {
  const values = Object.entries(options).flatMap(([name, { choices }]) =>
    choices === undefined ? [] : [`--${name}) values=${quoted(choices.join(' '))} ;;`],
  );
  const flags = Object.keys(options).map((name) => `--${name}`);
  const inner = values.length === 0 ? '' : ` case "$previous" in ${values.join(' ')} esac;`;
  return `    ${quoted(words)}) next=${quoted(Object.keys(next).join(' '))}; flags=${quoted(flags.join(' '))};${inner} ;;`;
}

function bash(): string {
  const all = places();
  const known = all.map(({ words }) => quoted(words)).join('|');
  return `# Sluice for bash: put  eval "$(sluice completion bash)"  into ~/.bashrc
_sluice() {
  local word="\${COMP_WORDS[COMP_CWORD]}" previous='' place='' next='' flags='' values='' at
  [ "$COMP_CWORD" -gt 0 ] && previous="\${COMP_WORDS[COMP_CWORD-1]}"
  for ((at = 1; at < COMP_CWORD; at++)); do
    case "\${place:+$place }\${COMP_WORDS[at]}" in
      ${known}) place="\${place:+$place }\${COMP_WORDS[at]}" ;;
      *) break ;;
    esac
  done
  case "$place" in
${all.map(bashCase).join('\n')}
  esac
  if [ -n "$values" ]; then
    COMPREPLY=($(compgen -W "$values" -- "$word"))
  elif [ "\${word#-}" != "$word" ]; then
    COMPREPLY=($(compgen -W "$flags" -- "$word"))
  elif [ "$at" -eq "$COMP_CWORD" ] && [ -n "$next" ]; then
    COMPREPLY=($(compgen -W "$next" -- "$word"))
  else
    COMPREPLY=()
  fi
}
complete -o default -F _sluice sluice
`;
}

/** zsh runs the bash script through its own compatibility layer. */
function zsh(): string {
  return `# Sluice for zsh: put  eval "$(sluice completion zsh)"  into ~/.zshrc
autoload -Uz compinit bashcompinit
(( $+functions[compdef] )) || compinit
bashcompinit
${bash()}`;
}

function fishQuoted(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
}

function fishOption(condition: string, name: string, option: OptionSpec): string {
  const { about, value, short, choices } = option;
  const takes = value === undefined ? '' : choices === undefined ? ' -r' : ' -x';
  const offers = choices === undefined ? '' : ` -a ${fishQuoted(choices.join(' '))}`;
  const letter = short === undefined ? '' : ` -s ${short}`;
  return `complete -c sluice${condition} -l ${name}${letter}${takes}${offers} -d ${fishQuoted(about)}`;
}

/** After `help NAME` the shell offers the sub-commands of NAME, as it does after NAME. */
function fishLines({ words, next, options, takesPath }: Place): readonly string[] {
  if (words.startsWith('help ')) return [];
  const seen = words.split(' ').map((word) => `__fish_seen_subcommand_from ${word}`);
  const here = words === '' ? '__fish_use_subcommand' : seen.join('; and ');
  const names = Object.keys(next).join(' ');
  if (words === 'help')
    return [`complete -c sluice -n ${fishQuoted(here)} -f -a ${fishQuoted(names)}`];
  const isOpen = words === '' ? '' : `; and not __fish_seen_subcommand_from ${names}`;
  const noFiles = takesPath ? '' : ' -f';
  const own = Object.entries(options).filter(([name]) => !Object.hasOwn(GLOBAL_OPTIONS, name));
  return [
    ...Object.entries(next).map(
      ([name, about]) =>
        `complete -c sluice -n ${fishQuoted(here + isOpen)}${noFiles} -a ${name} -d ${fishQuoted(about)}`,
    ),
    ...own.map(([name, option]) => fishOption(` -n ${fishQuoted(here)}`, name, option)),
  ];
}

function fish(): string {
  const everywhere = Object.entries<OptionSpec>(GLOBAL_OPTIONS);
  const lines = [
    ...everywhere.map(([name, option]) => fishOption('', name, option)),
    ...places().flatMap(fishLines),
  ];
  return `# Sluice for fish: put  sluice completion fish | source  into ~/.config/fish/config.fish
${lines.join('\n')}
`;
}

const SCRIPTS: Readonly<Record<(typeof SHELLS)[number], () => string>> = { bash, zsh, fish };

export function completionScript(shell: (typeof SHELLS)[number]): string {
  return SCRIPTS[shell]();
}

export const completion: Action = (context, [word = '']) => {
  const shell = choiceOf(SHELLS)(word, 'the shell');
  if (!shell.ok) return shell;
  const script = completionScript(shell.value);
  return context.output.result({ shell: shell.value, script }, script.trimEnd().split('\n'));
};
