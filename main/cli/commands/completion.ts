/** `sluice completion bash|zsh|fish`: a script for the shell, made from the commands themselves. */
import { ok } from '../../engine/errors.ts';
import { GLOBAL_OPTIONS, usage } from '../terminal/args.ts';
import type { Command } from '../session/context.ts';
import { EXIT } from '../terminal/exitCode.ts';
import { choiceOf } from '../terminal/oneOf.ts';

type Commands = Readonly<Record<string, Command>>;

/** What a command's usage line offers behind its name: `sluice batch list · count ID` gives list and count. Pure. */
export function subcommandsOf(name: string, command: Command): readonly string[] {
  const rest = command.usage.slice(`sluice ${name}`.length);
  const parts = rest.split(' · ').map((part) => part.trim().split(/\s+/)[0] ?? '');
  return parts.flatMap((part) => part.split('|')).filter((part) => /^[a-z][a-z-]*$/.test(part));
}

function optionsOf(command: Command): readonly string[] {
  return Object.keys({ ...command.options, ...GLOBAL_OPTIONS }).map((name) => `--${name}`);
}

function bashCase(name: string, command: Command): string {
  const subcommands = subcommandsOf(name, command).join(' ');
  const options = optionsOf(command).join(' ');
  return `    ${name}) subcommands='${subcommands}'; options='${options}' ;;`;
}

function bash(commands: Commands): string {
  const cases = Object.entries(commands).map(([name, command]) => bashCase(name, command));
  return `# Sluice for bash: put  eval "$(sluice completion bash)"  into ~/.bashrc
_sluice() {
  local word="\${COMP_WORDS[COMP_CWORD]}" subcommands='' options=''
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W '${Object.keys(commands).join(' ')} help' -- "$word"))
    return
  fi
  case "\${COMP_WORDS[1]}" in
${cases.join('\n')}
  esac
  if [ "\${word#-}" != "$word" ]; then
    COMPREPLY=($(compgen -W "$options" -- "$word"))
  elif [ "$COMP_CWORD" -eq 2 ] && [ -n "$subcommands" ]; then
    COMPREPLY=($(compgen -W "$subcommands" -- "$word"))
  else
    COMPREPLY=()
  fi
}
complete -o default -F _sluice sluice
`;
}

/** zsh runs the bash script through its own bridge: one source of truth. */
function zsh(commands: Commands): string {
  return `# Sluice for zsh: put  eval "$(sluice completion zsh)"  into ~/.zshrc
autoload -Uz compinit bashcompinit
(( $+functions[compdef] )) || compinit
bashcompinit
${bash(commands)}`;
}

/** A text in single quotes for fish. */
function quoted(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
}

function fishLines(name: string, command: Command): readonly string[] {
  const here = `-n '__fish_seen_subcommand_from ${name}'`;
  const subcommands = subcommandsOf(name, command);
  const kinds = { ...command.options, ...GLOBAL_OPTIONS };
  return [
    `complete -c sluice -n __fish_use_subcommand -f -a ${name} -d ${quoted(command.about)}`,
    ...(subcommands.length === 0
      ? []
      : [`complete -c sluice ${here} -a '${subcommands.join(' ')}'`]),
    ...Object.entries(kinds).map(
      ([option, kind]) => `complete -c sluice ${here} -l ${option}${kind === 'flag' ? '' : ' -r'}`,
    ),
  ];
}

function fish(commands: Commands): string {
  const lines = Object.entries(commands).flatMap(([name, command]) => fishLines(name, command));
  return `# Sluice for fish: put  sluice completion fish | source  into ~/.config/fish/config.fish
${lines.join('\n')}
`;
}

const SHELLS: Readonly<Record<string, (commands: Commands) => string>> = { bash, zsh, fish };

/** Makes the command over all commands, itself included: they are asked for when it runs. */
export function completionOf(commands: () => Commands): Command {
  return {
    usage: 'sluice completion bash|zsh|fish',
    about: 'prints the script that completes commands and options in this shell',
    options: {},
    run: async (context) => {
      const shell = context.args.words[0] ?? '';
      const write = choiceOf(SHELLS, shell);
      if (write === undefined) return usage('completion bash, zsh or fish');
      const script = write(commands());
      context.output.result({ shell, script }, script.trimEnd().split('\n'));
      return ok(EXIT.done);
    },
  };
}
