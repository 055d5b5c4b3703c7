/**
 * Puts one known fault after the other into the outbox (tests/models/mutants) and runs the models over it: each must be
 * caught, and the code as it is must pass.
 *
 *   npm run campaign -- mutants
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { mutants } from '#tests/models/mutants/list.ts'

const root = join(import.meta.dirname, '..', '..')

/** What vitest says, and why not. */
async function say(args: string[], env: Record<string, string>): Promise<{ passed: boolean; why: string }> {
  const vitest = join(root, 'node_modules', 'vitest', 'vitest.mjs')
  const child = spawn(process.execPath, [vitest, 'run', ...args], {
    cwd: root,
    env: { ...process.env, NO_COLOR: '1', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let said = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (piece) => (said += piece))
  const [code] = await once(child, 'close')
  const why = [...said.matchAll(/(?:Caused by: |^Assertion)Error: (.*)|^Error: ((?!Property).*)/gm)].map(
    (found) => found[1] ?? found[2],
  )
  return { passed: code === 0, why: why[0] ?? said.slice(-300) }
}

export async function run(): Promise<void> {
  const asIs = await say(['--project', 'device', 'tests/models/caught.test.ts'], {})
  console.log(asIs.passed ? 'the code as it is passes' : `the code as it is fails: ${asIs.why}`)
  let survivors = 0
  for (const { name } of mutants) {
    const { passed, why } = await say(['--config', 'tests/models/mutants/vitest.config.ts'], { MUTANT: name })
    if (passed) survivors += 1
    console.log(passed ? `SURVIVED  ${name}` : `caught    ${name}: ${why}`)
  }
  console.log(`${mutants.length - survivors} of ${mutants.length} caught`)
  if (survivors > 0 || !asIs.passed) process.exitCode = 1
}
