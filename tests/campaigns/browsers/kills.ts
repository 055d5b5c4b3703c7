/**
 * Kills the browser, the server or both by SIGKILL at random moments while writes are recorded and sent. Afterwards every recorded write has
 * taken effect once and in order.
 */
import { setTimeout as wait } from 'node:timers/promises'
import type { EngineStage } from '#tests/campaigns/browsers/stage.ts'
import { describeCheck, listWriteFaults, openWriter } from '#tests/campaigns/browsers/writer.ts'
import { drawBetween, pick, type Random } from '#tests/support/runner/random.ts'

export interface KillOutcome {
  /** Number of SIGKILLs of the browser and of the server. */
  kills: { browser: number; server: number }
  faults: string[]
}

/** `offline` kills the browser while the server cannot be reached, so that the writes are only on the device. */
const targets = ['browser', 'browser', 'offline', 'server', 'both'] as const

const renamingCount = 3
/** Maximum time in ms from the first recorded write to the kill. */
const killWithinMs = 400
/** Share of the kills of the browser that are followed by one more, while the next page starts and sends what waits. */
const startKillShare = 0.5

/** Stops the server. */
export async function killBrowserAndServer(
  stage: EngineStage,
  random: Random,
  killCount: number,
  report: (line: string) => void,
): Promise<KillOutcome> {
  const { proxy, portal } = stage
  const writer = await openWriter(stage)
  const { plan } = writer
  const faults: string[] = []
  const kills = { browser: 0, server: 0 }
  const killBrowser = async () => {
    await writer.killBrowser()
    kills.browser += 1
  }
  const killServer = async () => {
    await portal.kill()
    kills.server += 1
  }
  const killStartingPage = async () => {
    await writer.startPage()
    await wait(drawBetween(random, 0, killWithinMs))
    await killBrowser()
    await writer.startBrowser()
  }
  try {
    for (let round = 1; kills.browser + kills.server < killCount && faults.length === 0; round++) {
      const target = pick(random, targets)
      const isBrowserKilled = target !== 'server'
      const isServerKilled = target === 'server' || target === 'both'
      if (target === 'offline') proxy.cut()
      const { writes } = plan.addQueue(renamingCount)
      let hasEnded = false
      // Ends with an error if the browser is killed before everything is recorded.
      const sending = writer
        .sendWrites([writes])
        .catch((error: unknown) => {
          if (!isBrowserKilled) throw error
        })
        .finally(() => (hasEnded = true))
      const kill = async () => {
        while (!hasEnded && !writes.some(({ intent }) => plan.recorded.has(intent))) await wait(5)
        await wait(drawBetween(random, 0, killWithinMs))
        await Promise.all([...(isServerKilled ? [killServer()] : []), ...(isBrowserKilled ? [killBrowser()] : [])])
      }
      await Promise.all([sending, kill()])
      proxy.clearFaults()
      await Promise.all([
        ...(isServerKilled ? [portal.start()] : []),
        ...(isBrowserKilled ? [writer.startBrowser()] : []),
      ])
      if (isBrowserKilled) {
        if (random() < startKillShare) await killStartingPage()
        await writer.openPage()
      }
      for (const { intent } of writes)
        if (plan.recorded.has(intent) && !(await writer.isRecorded(intent)))
          faults.push(`lost on the device after ${target}: ${intent}`)
      if (round % 10 === 0)
        report(`${kills.browser} kills of the browser, ${kills.server} of the server, ${plan.recorded.size} writes`)
    }
    faults.push(...(await writer.waitUntilSent()).map((entry) => `stuck: ${entry}`))
  } finally {
    await writer.killBrowser()
  }
  const check = await writer.finish()
  report(
    `${kills.browser} kills of the browser, ${kills.server} of the server; ${describeCheck(check, plan)}; ${writer.countLogins()} logins`,
  )
  return { kills, faults: [...faults, ...listWriteFaults(check, plan)] }
}
