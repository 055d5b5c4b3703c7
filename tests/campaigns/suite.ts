/**
 * Runs all tests that need no browser: those of the suite including their nightly parts (`nightly.ts`).
 *
 * npm run campaign -- suite [file]
 */
import { showVitest } from '#tests/campaigns/vitest.ts'

const projects = ['node', 'page', 'dom', 'parts', 'device']

export const run = (args: string[]): Promise<void> =>
  showVitest([...projects.flatMap((name) => ['--project', name]), ...args])
