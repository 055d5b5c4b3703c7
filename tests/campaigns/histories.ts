/**
 * Runs the suite's randomized tests with another seed and so many cases that each takes some minutes. The suite itself uses few cases and a
 * fixed seed. A failure prints how to repeat it: the seed and, for models, a path.
 *
 * npm run campaign -- histories [times as many] [seed] SEED=... REPLAY=... npm test -- <file>
 */
import { runVitest } from '#tests/campaigns/vitest.ts'

/** Number of cases of each file if the factor of the command line is 1. */
const files: { file: string; project: string; name: 'RUNS' | 'QUERIES'; cases: number }[] = [
  { file: 'tests/outbox-model/cache.test.ts', project: 'device', name: 'RUNS', cases: 300 },
  { file: 'tests/request/jobs/job-model.night.test.ts', project: 'device', name: 'RUNS', cases: 60 },
  { file: 'tests/integration/lists-differ.night.test.ts', project: 'device', name: 'QUERIES', cases: 10_000 },
  { file: 'tests/server/write/lost-answers.test.ts', project: 'node', name: 'RUNS', cases: 50 },
  { file: 'tests/server/drivers/hosting/local.night.test.ts', project: 'node', name: 'RUNS', cases: 30 },
  { file: 'tests/server/use-cases/order-life.test.ts', project: 'node', name: 'RUNS', cases: 100 },
]

export async function run([factor = '1', seed = String(Date.now() % 1_000_000)]: string[]): Promise<void> {
  console.log(`histories: ${factor} times as many, seed ${seed}`)
  for (const { file, project, name, cases } of files) {
    const count = String(cases * Number(factor))
    const { hasPassed, output } = await runVitest(['--project', project, file], { SEED: seed, [name]: count })
    console.log(`${hasPassed ? 'passed' : 'FAILED'}  ${file}: ${count} cases`)
    if (hasPassed) continue
    console.log(output)
    process.exitCode = 1
  }
}
