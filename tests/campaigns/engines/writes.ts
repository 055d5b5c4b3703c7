/** Writes over a faulty connection, and browsers that are killed meanwhile: what the server's database says in the end. */
import { setTimeout as wait } from 'node:timers/promises'
import { planDeeds } from '#tests/campaigns/operations.ts'
import { type Reckoning, reckon } from '#tests/campaigns/verify.ts'
import { enter, giveHand, type Stage } from '#tests/campaigns/engines/stage.ts'
import { people } from '#tests/support/browser/browser.ts'
import { between, type Chance } from '#tests/support/runner/chance.ts'
import { drawn, type Fault } from '#tests/support/network/fault-proxy.ts'
import type { Deed, Told } from '#tests/support/device/rig/rig.ts'

declare global {
  interface Window {
    campaignLog?: Told[]
  }
}

export interface WriteReport extends Reckoning {
  recorded: number
  arrivals: number
  met: Partial<Record<Fault, number>>
  kills: number
  /** How often somebody had to log in again after a kill. */
  logins: number
  /** Said to be on the device, and not there when the browser was opened again. */
  gone: string[]
  problems: string[]
  /** Still waiting a minute after the last one was sent. */
  stuck: string[]
}

/** Those that hang cost half a minute each and are met in Chromium. */
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
const lanesAtOnce = 4
const renamings = 5
const writesPerRound = lanesAtOnce * (renamings + 1)
const cutMs = 1_000
const settleWithinMs = 60_000
/** Between the page's word and the kill, ms. */
const killWithinMs = 200

export async function writeUnderFaults(
  stage: Stage,
  chance: Chance,
  { writes, kills }: { writes: number; kills: number },
  say: (line: string) => void,
): Promise<WriteReport> {
  const { proxy, portal } = stage
  const deeds = planDeeds()
  const gone: string[] = []
  const stuck: string[] = []
  let logins = 0
  const opened = async () => {
    const browser = await stage.open('writes')
    try {
      if (await enter(browser, proxy.url, people.admin)) logins += 1
      await giveHand(browser)
      return browser
    } catch (error) {
      await browser.kill()
      throw error
    }
  }
  let browser = await opened()
  logins = 0
  const author = await browser.run(() => window.rig.subject())
  const write = async (lanes: Deed[][]) => {
    await browser.run((all) => {
      window.campaignLog = []
      void window.rig.writeAll(all, (one) => window.campaignLog?.push(one)).then(() => (window.campaignLog ??= []))
    }, lanes)
    const asked = new Set(lanes.flat().map(({ intent }) => intent))
    for (const end = performance.now() + settleWithinMs; asked.size > 0; await wait(20)) {
      for (const one of await browser.run(() => window.campaignLog?.splice(0) ?? [])) {
        deeds.tell(one)
        asked.delete(one.intent)
      }
      if (performance.now() > end) throw new Error(`${asked.size} writes were not recorded`)
    }
  }
  const settle = async (what: string) => {
    let last = Number.POSITIVE_INFINITY
    for (let end = performance.now() + settleWithinMs; ; await wait(100)) {
      const waiting = await browser.run(() => window.rig.waiting())
      if (waiting === 0) return
      // A busy machine sends slowly: stuck is what does not go on.
      if (waiting < last) end = performance.now() + settleWithinMs
      last = Math.min(last, waiting)
      if (performance.now() < end) continue
      stuck.push(`${what}: ${(await browser.run(() => window.rig.standing())).join('; ')}`)
      return
    }
  }
  try {
    for (let round = 1; deeds.recorded.size < writes; round++) {
      const lanes = Array.from({ length: lanesAtOnce }, () => deeds.newLane(renamings).deeds)
      proxy.set(drawn(chance, faults, { share: 0.2 + 0.5 * chance() }))
      await write(lanes)
      if (round % 3 === 0) {
        proxy.cut()
        await wait(cutMs)
      }
      await wait(between(chance, 500, 1_500))
      proxy.heal()
      await settle(`round ${round}`)
      if (stuck.length > 0) break
      say(`${deeds.recorded.size} of ${Math.ceil(writes / writesPerRound) * writesPerRound} writes under faults`)
    }
    for (let kill = 1; kill <= kills && stuck.length === 0; kill++) {
      const { maker, deeds: planned } = deeds.newLane(1)
      // Every second one is killed while its writes are on their way.
      if (kill % 2) proxy.cut()
      await write([planned])
      await wait(between(chance, 0, killWithinMs))
      await browser.kill()
      proxy.heal()
      browser = await opened()
      for (const { intent } of planned)
        if (!(await browser.run((one) => window.rig.isKnown(one), intent))) gone.push(`${maker}: ${intent}`)
      say(`${kill} of ${kills} kills, ${gone.length} gone, ${logins} logins`)
    }
    if (stuck.length === 0) await settle('after the kills')
  } finally {
    await browser.kill()
  }
  await portal.stop()
  if (!author) throw new Error('nobody was signed in')
  const met: WriteReport['met'] = {}
  for (const { fault } of proxy.arrivals) if (fault) met[fault] = (met[fault] ?? 0) + 1
  return {
    ...(await reckon({ DATA_DIR: portal.dataDir }, deeds, author)),
    recorded: deeds.recorded.size,
    arrivals: proxy.arrivals.reduce((sum, { keys }) => sum + keys.length, 0),
    met,
    kills,
    logins,
    gone,
    problems: deeds.problems,
    stuck,
  }
}
