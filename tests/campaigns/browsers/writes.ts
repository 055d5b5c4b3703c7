/** Writes over a faulty connection, then checks the server's database. */
import { setTimeout as wait } from 'node:timers/promises'
import type { EngineStage } from '#tests/campaigns/browsers/stage.ts'
import { describeCheck, listWriteFaults, openWriter } from '#tests/campaigns/browsers/writer.ts'
import { createRandomFaults, type Fault } from '#tests/support/network/fault-proxy.ts'
import { drawBetween, type Random } from '#tests/support/runner/random.ts'

/** Faults of this campaign. Faults that hang take half a minute each, so they are tested in Chromium only. */
const faults: readonly Fault[] = [
  'cut before the answer',
  'cut in the answer',
  'late',
  'slow',
  'twice',
  'gateway timeout',
  'gateway error',
  'reset',
  'login page',
]
const queuesAtOnce = 4
const renamingCount = 5
const cutMs = 1_000

/** Returns the faults that were found. Stops the server. */
export async function writeUnderFaults(
  stage: EngineStage,
  random: Random,
  writeCount: number,
  report: (line: string) => void,
): Promise<string[]> {
  const { proxy } = stage
  const writer = await openWriter(stage)
  const { plan } = writer
  const stuck: string[] = []
  try {
    for (let round = 1; plan.recorded.size < writeCount && stuck.length === 0; round++) {
      const queues = Array.from({ length: queuesAtOnce }, () => plan.addQueue(renamingCount).writes)
      proxy.set(createRandomFaults(random, faults, { share: 0.2 + 0.5 * random() }))
      await writer.sendWrites(queues)
      if (round % 3 === 0) {
        proxy.cut()
        await wait(cutMs)
      }
      await wait(drawBetween(random, 500, 1_500))
      proxy.clearFaults()
      stuck.push(...(await writer.waitUntilSent()))
    }
  } finally {
    await writer.killBrowser()
  }
  const check = await writer.finish()
  const faultCount = proxy.arrivals.filter(({ fault }) => fault !== null).length
  const arrivalCount = proxy.arrivals.reduce((sum, { keys }) => sum + keys.length, 0)
  report(`${describeCheck(check, plan)}; ${faultCount} faults, ${arrivalCount} arrivals`)
  return [...stuck.map((entry) => `stuck: ${entry}`), ...listWriteFaults(check, plan)]
}
