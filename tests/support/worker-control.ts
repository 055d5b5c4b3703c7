/** Stops service workers the way a browser does when it needs the memory: at any moment, whatever they are doing. */
import type { Page } from 'playwright-core'

export interface WorkerControl {
  isRunning(): boolean
  /** False when none was running. */
  stop(): Promise<boolean>
}

interface Version {
  versionId: string
  runningStatus: string
}

/** Of the workers that the page's site has, as long as the page lives. */
export async function controlWorker(page: Page): Promise<WorkerControl> {
  const session = await page.context().newCDPSession(page)
  const versions = new Map<string, Version>()
  session.on('ServiceWorker.workerVersionUpdated', ({ versions: updated }) => {
    for (const version of updated) versions.set(version.versionId, version)
  })
  await session.send('ServiceWorker.enable')
  const running = () => [...versions.values()].filter(({ runningStatus }) => runningStatus === 'running')

  async function stop(): Promise<boolean> {
    const found = running()
    for (const { versionId } of found) await session.send('ServiceWorker.stopWorker', { versionId })
    return found.length > 0
  }

  return {
    isRunning: () => running().length > 0,
    stop,
  }
}
