/** The types of the command table. The parser, help, completions, man page and docs/commands.md all read this one table. */

/** An option: a switch, or an option with a value when `value` is set. */
export interface OptionSpec {
  /** What it does; begins with a lower-case letter, ends without a full stop. */
  readonly about: string;
  /** The name of its value, such as ID; absent for a switch. */
  readonly value?: string;
  /** May be given several times, and every value counts. Without `many`, the last one counts. */
  readonly many?: true;
  /** The values that completions offer. The command itself checks them. */
  readonly choices?: readonly string[];
  /** What applies without it, in words. Absent: `off` for a switch. */
  readonly standard?: string;
  /** The command is refused without it. */
  readonly required?: true;
  /** The option with which it is not required. */
  readonly unless?: string;
  /** The environment variable with the same meaning. */
  readonly variable?: string;
  /** Its short form, with one dash. */
  readonly short?: string;
}

/** Options by name, without the dashes. */
export type Options = Readonly<Record<string, OptionSpec>>;

export interface Page {
  /** What follows the name, such as `PATH…`. */
  readonly operands?: string;
  /** How to give more than these operands, in words: for the message that refuses them. */
  readonly forMore?: string;
  /** The values of the first operand that completions offer. */
  readonly operandChoices?: readonly string[];
  /** Words after it are refused; other pages without operands ignore them, with a note. */
  readonly refusesWords?: true;
  /** One line; begins with a lower-case letter, ends without a full stop. */
  readonly about: string;
  /** More sentences. */
  readonly details?: string;
  readonly options?: Options;
  /** Whole command lines; the first is the most common use. */
  readonly examples: readonly [string, ...string[]];
}

/** A command. With `subcommands` but no `operands`, it does nothing by itself. */
export interface CommandSpec extends Page {
  /** The heading in the list of commands. */
  readonly group: string;
  readonly subcommands?: Readonly<Record<string, Page>>;
  /** What the sub-commands are for, when the command also works by itself. */
  readonly family?: string;
}
