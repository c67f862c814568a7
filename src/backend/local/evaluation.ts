import type { Step } from '../../types/index.js';
import type { TrainingRow } from '../trajectory-rows.js';
import { emptyTree, insert, type LossNode } from './loss-tree.js';
import { type PackedRows, packTree } from './packed-rows.js';
import { logSoftmax } from './sample-token.js';

/** Contexts to compute, and the sampled tokens that are asked about. */
export interface EvaluationBatch extends PackedRows {
  /** Entry of the context that a token came after, [tokens]. */
  readonly entries: Int32Array;
  /** The token, [tokens]. */
  readonly targets: Int32Array;
}

/** What is asked about every sampled token of some rows. Contexts that rows share are computed once. */
export interface Evaluation {
  readonly batches: readonly EvaluationBatch[];
  /** Deals answers, one per token of each batch, to the steps: one per response token. */
  deal(answers: readonly Float64Array[], take: (step: Step, answers: number[]) => void): void;
}

export function evaluationOf(rows: readonly TrainingRow[]): Evaluation {
  const root = emptyTree();
  const asked: { readonly node: LossNode; readonly target: number }[] = [];
  for (const row of rows) {
    insert(root, row, (node, i) => {
      asked.push({ node, target: row.targets[i] as number });
      return 0;
    });
  }
  const depth = rows.reduce((longest, { tokens }) => Math.max(longest, tokens.length), 0);
  const trees = packTree(root, depth);
  const places = new Map<LossNode, { readonly batch: number; readonly entry: number }>();
  for (const [batch, { nodes }] of trees.entries()) {
    for (const [entry, node] of nodes.entries()) if (node !== undefined) places.set(node, { batch, entry });
  }
  const questions = trees.map(() => ({ entries: [] as number[], targets: [] as number[] }));
  const batchOf = asked.map(({ node, target }) => {
    const { batch, entry } = places.get(node) as { batch: number; entry: number };
    questions[batch]?.entries.push(entry);
    questions[batch]?.targets.push(target);
    return batch;
  });
  return {
    batches: trees.map(({ packed }, batch) => ({
      ...packed,
      entries: Int32Array.from(questions[batch]?.entries ?? []),
      targets: Int32Array.from(questions[batch]?.targets ?? []),
    })),
    deal(answers, take) {
      const next = answers.map(() => 0);
      let at = 0;
      const answer = (): number => {
        const batch = batchOf[at++] as number;
        const index = next[batch] as number;
        next[batch] = index + 1;
        return answers[batch]?.[index] as number;
      };
      for (const { spans } of rows) {
        for (const { step } of spans) take(step, step.responseIds.map(answer));
      }
    },
  };
}

/** Log-prob of each token that is asked about, in float64, from the logits after every context, [rows·length·V]. */
export function answerLogprobs(
  { entries, targets }: EvaluationBatch,
  logits: Float32Array,
  vocabularySize: number,
): Float64Array {
  const byEntry = new Map<number, Float64Array>();
  return Float64Array.from(entries, (entry, i) => {
    let logprobs = byEntry.get(entry);
    if (logprobs === undefined) {
      const start = entry * vocabularySize;
      logprobs = logSoftmax(logits.subarray(start, start + vocabularySize));
      byEntry.set(entry, logprobs);
    }
    return logprobs[targets[i] as number] as number;
  });
}

/** The value before each token that is asked about, from those of every context, [rows·length]. */
export function answerValues({ entries }: EvaluationBatch, values: Float32Array): Float64Array {
  return Float64Array.from(entries, (entry) => values[entry] as number);
}
