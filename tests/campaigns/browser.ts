/**
 * All tests in Chromium, one file at a time: those of the suite with what they leave to the night (`nightly.ts`), and those that
 * hold the product to seconds of the clock, or take minutes: updates under open pages, a session that runs out, the pace of long
 * requests, one tablet in two people's hands, a hosted service and its backups from their order to their end.
 *
 *   npm run campaign -- browser [file]
 */
import { showVitest } from '#tests/campaigns/vitest.ts'

export const run = (args: string[]): Promise<void> => showVitest(['--project', 'campaign', ...args])
