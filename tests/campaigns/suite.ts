/**
 * All tests that need no browser: those of the suite with what they leave to the night (`nightly.ts`).
 *
 *   npm run campaign -- suite [file]
 */
import { runVitest } from '#tests/campaigns/vitest.ts'

const projects = ['node', 'page', 'dom', 'parts', 'device']

export async function run(args: string[]): Promise<void> {
  const { passed, output } = await runVitest([...projects.flatMap((name) => ['--project', name]), ...args], {})
  console.log(output)
  if (!passed) process.exitCode = 1
}
