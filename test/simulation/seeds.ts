/** Seeds that once failed, each with a line about why. They always run, so that these bugs do not return. */
export const SEEDS: readonly { readonly seed: number; readonly why: string }[] = [
  {
    seed: 10,
    why: 'lists out of order by some seconds: what was merely not listed yet was sent again',
  },
  { seed: 304, why: 'the same with a storage that is slow to list' },
  {
    seed: 138,
    why: 'every first upload was lost: a batch that is 404 was waited for forever, and nothing went again',
  },
  {
    seed: 30,
    why: 'an unfinished registration without times outlasted each command; meanwhile the list was read twice a second',
  },
  { seed: 203, why: 'a count that lagged behind the list closed a full batch as expired' },
  {
    seed: 292,
    why: 'nine minutes without a process counted as the lag of the list: what was in doubt waited longer than any command',
  },
  {
    seed: 487,
    why: 'the clock was set between two runs: what the first had just sent seemed unlisted for a week and went again',
  },
  {
    seed: 296,
    why: 'nothing was confirmed while one file was missing and a listing took half a second',
  },
  { seed: 143, why: 'a resend counted from its first send: a lag of a quarter of an hour' },
  {
    seed: 2009,
    why: 'a file that was locked for a moment became a duplicate of itself: the command ended well while it was not confirmed',
  },
  {
    seed: 910,
    why: 'what the last run had sent was listed at once in the next: the list seemed quick, and was not',
  },
  { seed: 1770, why: 'planning waited for an unfinished registration of its own forever' },
  {
    seed: 95,
    why: 'another computer had a name alike: ours was not listed yet, was taken for replaced and sent again',
  },
  {
    seed: 407,
    why: 'a storage that answered 402 for a while: its shards were cut down to single files, and these parked',
  },
  { seed: 686, why: 'the same where names differ in case' },
  {
    seed: 183,
    why: 'files planned by an earlier process replaced those of another computer that had come since',
  },
  {
    seed: 24,
    why: 'a ledger was lost, and the content was in the batch under the name of a copy: it went again',
  },
  {
    seed: 358,
    why: 'nothing had arrived, the clock was wrong, and the service did not know the batch: its files were parked as expired',
  },
  {
    seed: 685,
    why: 'the job of a batch that expired before it could start was started again forever',
  },
  {
    seed: 1095,
    why: 'after a lost ledger images were planned into a batch that held videos, and the videos went into another one again',
  },
  {
    seed: 1673,
    why: 'a batch was taken for over because it looked empty, while new files in it were not listed yet',
  },
  {
    seed: 3132,
    why: 'a batch was taken for over while a body was on its way there',
  },
  {
    seed: 3675,
    why: 'another computer had begun the batch, it ended earlier than this ledger thought, and its files waited forever',
  },
  {
    seed: 4163,
    why: 'every name of a file was taken by itself, a lost ledger did not know, and the list lagged: it was given up as refused',
  },
  {
    seed: 3002,
    why: 'a file of a batch that had lost all it had was rejected, and waited forever',
  },
  {
    seed: 4090,
    why: 'another file of the same name was listed before ours, which was taken for replaced and sent again',
  },
  {
    seed: 4626,
    why: 'a unique name made of an earlier content hid a file from a later ledger',
  },
  {
    seed: 517,
    why: 'a file that was taken and lost once was given up after a try that the service never took',
  },
  {
    seed: 844,
    why: 'where a list had taken ten minutes to show something, a doubt outlasted every command, and each start began it again',
  },
  {
    seed: 212,
    why: 'a storage that alters files: one lost answer, and each of them was sent twice',
  },
  {
    seed: 365,
    why: 'a storage that alters files, and a watch that closes its batches: they were sent again without end',
  },
  {
    seed: 2099,
    why: 'a storage that alters files said that it had a video already: it was sent again although its name was trusted',
  },
  {
    seed: 2269,
    why: "a storage that alters files, and the file of the trial had changed: its earlier name counted as another computer's, and all were sent twice",
  },
  {
    seed: 3357,
    why: 'a storage that alters files, and each file that could be the trial had changed: the batch was listed without end',
  },
  {
    seed: 2528,
    why: 'a file was taken and lost, changed, and was lost once more: it was given up as if the same content had been lost twice',
  },
  {
    seed: 3709,
    why: 'an odd ETag, and a file of another computer with the same name: ours was sent again before it would have been listed',
  },
  {
    seed: 5082,
    why: 'a file changed while it was sent, and another computer sent one of its name: that one was taken for ours, which was lost',
  },
  {
    seed: 5368,
    why: 'killed between two commits, files were queued from a batch that expired: the same command added them again, and both were sent',
  },
  {
    seed: 7050,
    why: 'a file was renamed within an excluded directory: the hint about its new name was taken, and the file was sent',
  },
  {
    seed: 9290,
    why: 'a storage that alters files, and an archive whose answer was lost: one file of it was the trial, and the others were sent twice, too',
  },
  {
    seed: 10242,
    why: 'a storage that alters files, and a trial that was thrown away: it went into the next batch, where it shows nothing',
  },
  {
    seed: 31055,
    why: 'a ledger was lost, and a replica that lags behind showed an empty batch: what the count showed a moment later was not read, and went again',
  },
  {
    seed: 31288,
    why: 'a storage that alters files, and an archive that was sent on twice: its files were compared and a trial sought for them without end',
  },
  {
    seed: 33031,
    why: "a replica that lags behind showed another computer's file under the name of one that was confirmed: ours went again",
  },
  {
    seed: 31302,
    why: 'an older ledger was restored in which the first try of an archive had just been lost: its later try was not looked for',
  },
  {
    seed: 9133,
    why: 'a request was sent on twice and the second one refused, its batch was full meanwhile: the next batch got the file, too',
  },
  { seed: 43842, why: 'the same with videos, and a storage that refuses the second body' },
  {
    seed: 46851,
    why: 'the clock was set back by days while a batch was unknown to the service: it counted as over only after these days',
  },
  {
    seed: 40051,
    why: 'an older ledger was restored in which archives of a batch that others filled were planned: they were not looked for',
  },
  {
    seed: 40935,
    why: 'an older ledger was restored, and replicas shifted the pages of the list: what it left out was taken for files on their way',
  },
  {
    seed: 51458,
    why: 'a damaged file was completed after its watch no longer took it: its problem stays, and the check called that wrong',
  },
  {
    seed: 59159,
    why: 'a video of an expired batch was confirmed by its name, which another computer had used in the batch made anew',
  },
  {
    seed: 73630,
    why: 'an archive was sent to a batch of single files that a lost ledger had made, on a service that does not describe its batches',
  },
  {
    seed: 85158,
    why: 'a video whose sending was interrupted went out again under a name that another computer had used since, and replaced its file',
  },
  {
    seed: 77766,
    why: 'a storage altered videos and stated odd ETags: of those under unique names, none could be the trial, so none was ever confirmed',
  },
  {
    seed: 250069,
    why: 'the service listed videos once they were registered, and what was in between refused to let them be read: their names were trusted',
  },
  {
    seed: 250188,
    why: 'the address of a doubtful video was 404, and once a timeout: its name was trusted',
  },
  {
    seed: 250208,
    why: 'a sign-in page answered the look at a video that two computers have: the other one had only registered it',
  },
  {
    seed: 61344,
    why: 'a storage that alters files, and the directory of each that could be the trial was away: all of them were sent again',
  },
  {
    seed: 103419,
    why: 'the same with the videos of a watch',
  },
  {
    seed: 203133,
    why: 'all that was sent was thrown away twice, so that its batch never existed: the check called it wrong that a person is asked',
  },
  {
    seed: 88119,
    why: 'a storage that alters files, and a list that repeated the earlier name of the trial: that counted as two files of another computer',
  },
  {
    seed: 155171,
    why: 'a ledger was lost, and a replica that lags behind showed an empty batch: what the list had shown a moment before was forgotten, and went again',
  },
  {
    seed: 260167,
    why: 'an older ledger was restored, and videos had their second names, because their first were listed without content: only the first were looked for',
  },
  {
    seed: 260261,
    why: 'a storage that alters files, those that could be the trial were renamed, and the clock was set back by days: they were tried for these days',
  },
  {
    seed: 250775,
    why: 'a storage that alters files, and a video that was sent on twice: its refusal counted as proof that another computer had replaced all of them',
  },
];
