/**
 * All tests that need no browser: those of the suite with what they leave to the night (`nightly.ts`).
 *
 *   npm run campaign -- suite [file]
 */
import { showVitest } from '#tests/campaigns/vitest.ts'

const projects = ['node', 'page', 'dom', 'parts', 'device']

export const run = (args: string[]): Promise<void> =>
  showVitest([...projects.flatMap((name) => ['--project', name]), ...args])
