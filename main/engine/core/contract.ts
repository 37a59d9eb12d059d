/** Rules and settings as the contract defines them. The engine imports the contract only through this folder. */
export { PLACEHOLDER, PLACEHOLDERS, SETTLE_MS } from '../../../preload/contract/bounds.ts';
export { dayOf, localDay, type Period } from '../../../preload/contract/calendarDay.ts';
export { fileType } from '../../../preload/contract/fileType.ts';
export { formatBytes, formatDuration } from '../../../preload/contract/figures.ts';
export { engineSettingsSchema, type EngineSettings } from '../../../preload/contract/settings.ts';
export { jobDurationMs } from '../../../preload/contract/jobTimes.ts';
export {
  jobQuietMs,
  type JobTimes,
  SILENT_AFTER_MS,
  silences,
  silenceText,
} from '../../../preload/contract/silence.ts';
export { once } from '../../../preload/contract/once.ts';
export type { InputOf } from '../../../preload/contract/requests.ts';
export { isCounting, openFiles } from '../../../preload/contract/toGo.ts';
export { standardRule } from '../../../preload/contract/standardRule.ts';
export { capAt, localTimeOf, readTimetable } from '../../../preload/contract/timetable.ts';
export { cliReader, sentenceOfWait } from '../../../preload/contract/waitMessages.ts';
export {
  jobOptionsSchema,
  type JobOptions,
  mistakeOf,
  type Part,
  sayLimit,
  type WatchRule,
  watchRuleSchema,
} from '../../../preload/contract/watchRule.ts';
