/**
 * The randomized tests that the suite runs with a handful of cases and one fixed seed, with as many cases as take some
 * minutes each and another seed. A failure prints what plays it again: the seed, and for the models a path.
 *
 *   npm run campaign -- histories [times as many] [seed]
 *   SEED=... REPLAY=... npm test -- <file>
 */
import { runVitest } from '#tests/campaigns/vitest.ts'

/** Cases of each file at once as many. */
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
