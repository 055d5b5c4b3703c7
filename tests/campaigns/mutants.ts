/**
 * Inserts the known faults into the outbox one by one (tests/outbox-model/mutants) and runs the models: each fault must be found, and the
 * original code must pass.
 *
 * npm run campaign -- mutants
 */
import { runVitest } from '#tests/campaigns/vitest.ts'
import { mutants } from '#tests/outbox-model/mutants/list.ts'

/** Returns whether vitest passed, and otherwise the reason. */
async function runTests(args: string[], env: Record<string, string>): Promise<{ hasPassed: boolean; reason: string }> {
  const { hasPassed, output } = await runVitest(args, env)
  const reasons = [...output.matchAll(/(?:Caused by: |^Assertion)Error: (.*)|^Error: ((?!Property).*)/gm)].map(
    (match) => match[1] ?? match[2],
  )
  return { hasPassed, reason: reasons[0] ?? output.slice(-300) }
}

export async function run(): Promise<void> {
  const unchangedResult = await runTests(['--project', 'device', 'tests/outbox-model/caught.night.test.ts'], {})
  console.log(
    unchangedResult.hasPassed ? 'the unchanged code passes' : `the unchanged code fails: ${unchangedResult.reason}`,
  )
  let survivorCount = 0
  for (const { name } of mutants) {
    const { hasPassed, reason } = await runTests(['--config', 'tests/outbox-model/mutants/vitest.config.ts'], {
      MUTANT: name,
    })
    if (hasPassed) survivorCount += 1
    console.log(hasPassed ? `SURVIVED  ${name}` : `caught    ${name}: ${reason}`)
  }
  console.log(`${mutants.length - survivorCount} of ${mutants.length} caught`)
  if (survivorCount > 0 || !unchangedResult.hasPassed) process.exitCode = 1
}
