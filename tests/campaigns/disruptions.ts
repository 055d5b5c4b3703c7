/** Disrupts browser, worker, server and connection during writing, at moments that the seed determines. */
import { setTimeout as wait } from 'node:timers/promises'
import type { CampaignTabs } from '#tests/campaigns/tabs.ts'
import type { Portal } from '#tests/support/browser/browser.ts'
import { drawBetween, type Random } from '#tests/support/runner/random.ts'
import type { FaultProxy } from '#tests/support/network/fault-proxy.ts'

export const disruptionKinds = [
  'worker stopped',
  'browser killed',
  'server killed',
  'connection cut',
  'device offline',
  'a tab without a worker',
] as const
export type DisruptionKind = (typeof disruptionKinds)[number]

export interface DisruptionContext {
  tabs: CampaignTabs
  portal: Portal
  proxy: FaultProxy
  random: Random
  /** Resolves when this many more writes are recorded. */
  waitForRecorded: (additionalCount: number) => Promise<void>
}

/**
 * Runs while the pages write. Returns the number of disruptions. A killed browser, a cut connection and an offline device are not restored
 * here.
 */
export async function applyDisruption(
  kind: DisruptionKind,
  { tabs, portal, proxy, random, waitForRecorded }: DisruptionContext,
): Promise<number> {
  const recordedCount = drawBetween(random, 5, 35)
  const delayMs = drawBetween(random, 0, 150)
  switch (kind) {
    case 'worker stopped':
      return await tabs.harassWorker(random, { minMs: 20, maxMs: 250, forMs: 2_500 })
    case 'browser killed':
      await waitForRecorded(recordedCount)
      await wait(delayMs)
      await tabs.browser.kill()
      return 1
    case 'server killed':
      await waitForRecorded(recordedCount)
      await wait(delayMs)
      await portal.kill()
      await wait(300)
      await portal.start()
      return 1
    case 'connection cut':
      await waitForRecorded(recordedCount)
      proxy.cut()
      await wait(1_000)
      return 1
    case 'device offline':
      await waitForRecorded(recordedCount)
      await tabs.browser.context.setOffline(true)
      await wait(1_000)
      return 1
    case 'a tab without a worker':
      // This page was reloaded before the writing. It sends by itself while the worker sends for the other page.
      return 1
  }
}
