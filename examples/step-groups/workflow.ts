/*
 * Walk a grid: a model learns the way to a goal, and each move gets the credit that it deserves.
 *
 * The walker stands on a 3 × 3 grid and is told where it is and where the goal is. It has a few moves; what is no move, or runs
 * into a wall, leaves it where it is. It wins on the goal.
 *
 * A walk that is won has bad moves in it, and one that is lost has good ones. GiGPO tells them apart: rollouts pass through the
 * same cells, so what followed from different moves in one cell can be compared. For that the workflow names the state of each
 * step, its `observation`.
 *
 * Train it:  npx rllm train --config examples/step-groups/rllmrc.json
 * Data: one row per goal, `{"id":"a1-c3","start":"a1","goal":"c3"}`. Validation asks for each once, greedily.
 */
import { defineWorkflow } from 'rllm-sdk';
import { z } from 'zod';

const ROWS = 'abc';
const COLUMNS = '123';

const MOVES: Readonly<Record<string, readonly [rows: number, columns: number]>> = {
  north: [-1, 0],
  south: [1, 0],
  east: [0, 1],
  west: [0, -1],
};

const options = z.strictObject({
  /** Moves until the walk is lost. */
  moves: z.int().positive().default(6),
});

const row = z.object({ start: z.string(), goal: z.string() });

export default defineWorkflow({
  name: 'grid-walk',
  summary: 'Walk to a cell of a grid, one move at a time.',
  options,
  async run(task, { agent, options: { moves }, terminate }) {
    const { start, goal } = row.parse(task);
    const walker = agent('walker');
    let cell = start;
    for (let move = 0; move < moves; move++) {
      const { content } = await walker.respond(`at ${cell} to ${goal}`, { maxTokens: 1 });
      if (walker.lastStep !== undefined) walker.lastStep.observation = { cell, goal };
      cell = neighbour(cell, content);
      if (cell === goal) {
        walker.reward(1);
        return;
      }
    }
    terminate('max_turns_exceeded');
  },
});

function neighbour(cell: string, move: string): string {
  const [rows, columns] = MOVES[move] ?? [0, 0];
  const row = ROWS[ROWS.indexOf(cell.charAt(0)) + rows];
  const column = COLUMNS[COLUMNS.indexOf(cell.charAt(1)) + columns];
  return row === undefined || column === undefined ? cell : row + column;
}
