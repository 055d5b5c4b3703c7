/**
 * Tests the outbox model (tests/outbox-model) further than the suite: all crash points of all short histories, then the given number of
 * random long ones, in two processes. Exits with 1 at the first violated guarantee and prints the seed and path for `replay`.
 *
 * npm run campaign -- outbox-model [histories] [seed] npm run campaign -- outbox-model replay <seed> <path>
 */
import 'fake-indexeddb/auto'
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { cpus } from 'node:os'
import { killAtEveryStep, shortHistories } from '#tests/outbox-model/crashes.ts'
import { runRandomSimulations, type SimulationTotals } from '#tests/outbox-model/random.ts'

interface SimulationShare {
  seed: number
  runs: number
  /** Selects the short histories whose index, divided by the number of processes, leaves this remainder. */
  remainder: number
}

interface ShareResult extends SimulationTotals {
  pointCount: number
}

const processCount = 2
/** Number of runs per batch. Progress is printed after each batch. */
const runsAtOnce = 250

async function runShare({ seed, runs, remainder }: SimulationShare): Promise<ShareResult> {
  const result: ShareResult = { histories: 0, steps: 0, effects: 0, writes: 0, pointCount: 0 }
  for (const [index, history] of shortHistories.entries())
    if (index % processCount === remainder) result.pointCount += await killAtEveryStep(history)
  console.log(`${result.pointCount} crash points of short histories`)
  for (let finishedRuns = 0; finishedRuns < runs; finishedRuns += runsAtOnce) {
    const totals = await runRandomSimulations({
      seed: seed + finishedRuns,
      runs: Math.min(runsAtOnce, runs - finishedRuns),
    })
    for (const name of ['histories', 'steps', 'effects', 'writes'] as const) result[name] += totals[name]
    console.log(`${result.histories} histories, last seed ${seed + finishedRuns}`)
  }
  return result
}

async function runInProcess(share: SimulationShare): Promise<ShareResult> {
  const args = ['outbox-model', 'share', JSON.stringify(share)]
  const child = fork(new URL('run.ts', import.meta.url), args)
  const [message] = await Promise.race([once(child, 'message'), once(child, 'exit').then(() => [null])])
  if (!message) throw new Error('a guarantee was violated, see above')
  return message as ShareResult
}

export async function run(args: string[]): Promise<void> {
  if (args[0] === 'share') {
    // The other process found a violation, so this one is no longer needed.
    process.once('disconnect', () => process.exit())
    const result = await runShare(JSON.parse(args[1] ?? '') as SimulationShare)
    process.send?.(result)
    process.disconnect()
    return
  }
  if (args[0] === 'replay') {
    const [, seed, path] = args
    await runRandomSimulations({ seed: Number(seed), runs: runsAtOnce, path })
    console.log('no guarantee violated')
    return
  }
  const [histories = '10000', seedText = String(Date.now() % 1_000_000)] = args
  const [runs, seed] = [Math.ceil(Number(histories) / processCount), Number(seedText)]
  console.log(`outbox-model: ${histories} histories, seed ${seed}, ${cpus().length} x ${cpus()[0]?.model}`)
  const startedAt = performance.now()
  const shares = Array.from({ length: processCount }, (_, remainder) =>
    runInProcess({ seed: seed + remainder * 1_000_000, runs, remainder }),
  )
  const results = await Promise.all(shares)
  const sumOf = (name: keyof ShareResult) => results.reduce((total, result) => total + result[name], 0)
  console.log(
    `${shortHistories.length} short histories killed at each of ${sumOf('pointCount')} points; ${sumOf('histories')} random histories, ` +
      `${sumOf('steps')} steps, ${sumOf('writes')} writes, ${sumOf('effects')} effects: no guarantee violated, ` +
      `${((performance.now() - startedAt) / 60_000).toFixed(1)} min`,
  )
}
