/** Annotation insights: the service has a row per labeler and project; they are merged into one row per labeler. */
import { z } from 'zod';
import { once } from '../../core/contract.ts';
import type { Insights, LabelerInsights } from '../../core/model.ts';
import { id, listOf, maybeCount, maybeNumber, readableOf, shownText } from './parts.ts';
import { projectSlug } from './projects.ts';

const row = once(() =>
  z.object({
    projectId: id().nullish().catch(null),
    labelerId: id(),
    imagesLabeled: maybeCount(),
    boxesDrawn: maybeCount(),
    markedNull: maybeCount(),
    modelAssisted: maybeCount(),
    approved: maybeCount(),
    rejected: maybeCount(),
    approvalRate: maybeNumber(),
  }),
);
type Row = z.output<ReturnType<typeof row>>;

const labeler = once(() => z.object({ id: id(), displayName: shownText(), email: shownText() }));
type Labeler = z.output<ReturnType<typeof labeler>>;

const stats = once(() =>
  z.object({
    numImagesLabeled: maybeCount(),
    numBoxesDrawn: maybeCount(),
    numImagesMarkedNull: maybeCount(),
    totalImagesUsingModelAssist: maybeCount(),
    approvalRate: maybeNumber(),
  }),
);

const answerShape = once(() =>
  z.preprocess(
    (answer) => (Array.isArray(answer) ? { data: answer } : answer),
    z.object({
      data: listOf(row()),
      labelers: readableOf(labeler()).nullish(),
      stats: stats().nullish(),
    }),
  ),
);
type Answer = z.output<ReturnType<typeof answerShape>>;

/** Rows of the requested project; when no row names it, the service has filtered by its own name for the project. */
function rowsOf(rows: readonly Row[], projectId: string): readonly Row[] {
  const named = rows.filter((entry) => projectSlug(entry.projectId ?? '') === projectId);
  return named.length > 0 ? named : rows;
}

/** First-pass approval over several rows; for a single row, the value that the service states. */
function approvalOf(rows: readonly Row[]): number | null {
  const known = rows.filter((entry) => entry.approvalRate !== null);
  if (known.length <= 1) return known[0]?.approvalRate ?? null;
  const images = sum(known, (entry) => entry.imagesLabeled) ?? 0;
  if (images === 0) return null;
  const approved = known.map((entry) => (entry.approvalRate ?? 0) * (entry.imagesLabeled ?? 0));
  return approved.reduce((total, one) => total + one) / images;
}

/** The sum of a value over the rows that state it; null when none does. */
function sum(rows: readonly Row[], of: (row: Row) => number | null): number | null {
  const stated = rows.map(of).filter((value) => value !== null);
  return stated.length === 0 ? null : stated.reduce((total, value) => total + value);
}

function figuresOf(rows: readonly Row[]): Insights['totals'] {
  return {
    imagesLabeled: sum(rows, (entry) => entry.imagesLabeled),
    boxesDrawn: sum(rows, (entry) => entry.boxesDrawn),
    markedNull: sum(rows, (entry) => entry.markedNull),
    modelAssisted: sum(rows, (entry) => entry.modelAssisted),
    approvalPercent: approvalOf(rows),
  };
}

function labelerInsights(
  labelerId: string,
  rows: readonly Row[],
  known: Labeler | undefined,
): LabelerInsights {
  return {
    labelerId,
    displayName: known?.displayName ?? known?.email ?? labelerId,
    email: known?.email ?? null,
    ...figuresOf(rows),
    approved: sum(rows, (entry) => entry.approved),
    rejected: sum(rows, (entry) => entry.rejected),
  };
}

function totalsOf(answer: Answer, rows: readonly Row[]): Insights['totals'] {
  const figures = figuresOf(rows);
  // The service's own totals count only when they are about the same rows.
  const stated = rows.length === answer.data.length ? answer.stats : null;
  return {
    imagesLabeled: stated?.numImagesLabeled ?? figures.imagesLabeled,
    boxesDrawn: stated?.numBoxesDrawn ?? figures.boxesDrawn,
    markedNull: stated?.numImagesMarkedNull ?? figures.markedNull,
    modelAssisted: stated?.totalImagesUsingModelAssist ?? figures.modelAssisted,
    approvalPercent: stated?.approvalRate ?? figures.approvalPercent,
  };
}

export function insightsAnswer(projectId: string): () => z.ZodType<Insights> {
  return () =>
    answerShape().transform((answer): Insights => {
      const rows = rowsOf(answer.data, projectId);
      const byLabeler = Map.groupBy(rows, (entry) => entry.labelerId);
      const names = new Map((answer.labelers ?? []).map((entry) => [entry.id, entry]));
      return {
        projectId,
        labelers: [...byLabeler].map(([labelerId, own]) =>
          labelerInsights(labelerId, own, names.get(labelerId)),
        ),
        totals: totalsOf(answer, rows),
      };
    });
}
