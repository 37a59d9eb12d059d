/** What the table of commands is made of. Parser, help, completions, man page and docs/commands.md all read this one table. */

/** An option: a switch, or with `value` one that takes a value. */
export interface OptionSpec {
  /** What it does; begins with a lower-case letter, ends without a full stop. */
  readonly about: string;
  /** The name of its value, such as ID; a switch has none. */
  readonly value?: string;
  /** It may be given several times, and every value counts. Otherwise the last one counts. */
  readonly many?: true;
  /** The values that completions offer. The command itself checks them. */
  readonly choices?: readonly string[];
  /** What holds without it, in words. Absent: `off` for a switch. */
  readonly standard?: string;
  /** The command does not work without it. */
  readonly required?: true;
  /** The environment variable that means the same. */
  readonly variable?: string;
  /** Its short form, with one dash. */
  readonly short?: string;
}

/** Options by name, without the dashes. */
export type Options = Readonly<Record<string, OptionSpec>>;

/** The help page of a command or of a sub-command. */
export interface Page {
  /** What follows the name, such as `PATH…`. */
  readonly operands?: string;
  /** The values of the first operand that completions offer. */
  readonly operandChoices?: readonly string[];
  /** One line; begins with a lower-case letter, ends without a full stop. */
  readonly about: string;
  /** More sentences. */
  readonly details?: string;
  readonly options?: Options;
  /** Whole command lines; the first is the best known use. */
  readonly examples: readonly [string, ...string[]];
}

/** A command. With `subcommands` but no `operands` it does nothing by itself. */
export interface CommandSpec extends Page {
  /** The heading in the list of commands. */
  readonly group: string;
  readonly subcommands?: Readonly<Record<string, Page>>;
  /** What the sub-commands are for, where the command also works by itself. */
  readonly family?: string;
}
