/**
 * Puts one known fault after the other into the outbox (tests/outbox-model/mutants) and runs the models over it: each must be
 * caught, and the code as it is must pass.
 *
 *   npm run campaign -- mutants
 */
import { runVitest } from '#tests/campaigns/vitest.ts'
import { mutants } from '#tests/outbox-model/mutants/list.ts'

/** What vitest says, and why not. */
async function say(args: string[], env: Record<string, string>): Promise<{ passed: boolean; why: string }> {
  const { passed, output } = await runVitest(args, env)
  const why = [...output.matchAll(/(?:Caused by: |^Assertion)Error: (.*)|^Error: ((?!Property).*)/gm)].map(
    (found) => found[1] ?? found[2],
  )
  return { passed, why: why[0] ?? output.slice(-300) }
}

export async function run(): Promise<void> {
  const asIs = await say(['--project', 'device', 'tests/outbox-model/caught.night.test.ts'], {})
  console.log(asIs.passed ? 'the code as it is passes' : `the code as it is fails: ${asIs.why}`)
  let survivors = 0
  for (const { name } of mutants) {
    const { passed, why } = await say(['--config', 'tests/outbox-model/mutants/vitest.config.ts'], { MUTANT: name })
    if (passed) survivors += 1
    console.log(passed ? `SURVIVED  ${name}` : `caught    ${name}: ${why}`)
  }
  console.log(`${mutants.length - survivors} of ${mutants.length} caught`)
  if (survivors > 0 || !asIs.passed) process.exitCode = 1
}
