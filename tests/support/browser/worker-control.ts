/** Stops service workers the way a browser does when it needs the memory: at any moment, whatever they are doing. */
import type { Page } from 'playwright-core'

export interface WorkerControl {
  isRunning(): boolean
  /** False when none was running. */
  stop(): Promise<boolean>
  /** Stops the one in control where another waits for its place. */
  stopOutgoing(): Promise<void>
}

interface Version {
  versionId: string
  runningStatus: string
  status: string
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

  async function stopAll(found: readonly Version[]) {
    for (const { versionId } of found) await session.send('ServiceWorker.stopWorker', { versionId })
  }

  async function stop(): Promise<boolean> {
    const found = running()
    await stopAll(found)
    return found.length > 0
  }

  async function stopOutgoing(): Promise<void> {
    const isWaitedFor = [...versions.values()].some(({ status }) => status === 'installed')
    if (isWaitedFor) await stopAll(running().filter(({ status }) => status === 'activated'))
  }

  return {
    isRunning: () => running().length > 0,
    stop,
    stopOutgoing,
  }
}

const restMs = 5_000

/**
 * Awaits what comes when a new worker takes over. A call in the moment in which the old one ends brings it back; a browser
 * takes it away again when it had nothing to do for half a minute, but not under a debugger, which is what drives the page
 * here. So its rest is given to it, and sooner.
 */
export async function letRest<T>(page: Page, awaited: Promise<T>): Promise<T> {
  const { stopOutgoing } = await controlWorker(page)
  const timer = setInterval(() => void stopOutgoing().catch(() => {}), restMs)
  try {
    return await awaited
  } finally {
    clearInterval(timer)
  }
}
