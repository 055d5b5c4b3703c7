/**
 * Runs all Chromium tests, one file at a time: those of the suite including their nightly parts (`nightly.ts`), and tests that depend on
 * real time or take minutes: updates of open pages, an expiring session, polling of long requests, a tablet that a second user takes over,
 * a hosted service and its backups.
 *
 * npm run campaign -- browser [file]
 */
import { showVitest } from '#tests/campaigns/vitest.ts'

export const run = (args: string[]): Promise<void> => showVitest(['--project', 'campaign', ...args])
