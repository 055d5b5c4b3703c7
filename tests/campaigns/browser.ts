/**
 * Browser tests that hold the product to seconds of the clock, or take minutes: updates under open pages, a session that runs
 * out, the pace of long requests, one tablet in two people's hands; and the second journey through a part of which the suite
 * walks one.
 *
 *   npm run campaign -- browser [file]
 */
import { runVitest } from '#tests/campaigns/vitest.ts'

export async function run(args: string[]): Promise<void> {
  const { passed, output } = await runVitest(['--project', 'campaign', ...args], { CAMPAIGN: '1' })
  console.log(output)
  if (!passed) process.exitCode = 1
}
