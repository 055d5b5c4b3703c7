/** Stops service workers the way a browser does when it needs the memory: at any moment, whatever they are doing. */
import type { Page } from 'playwright-core'

export interface WorkerControl {
  isRunning(): boolean
  /** False when none was running. */
  stop(): Promise<boolean>
  /** Stops the one in control where another waits for its place. */
  stopOutgoing(): Promise<void>
}

interface WorkerVersion {
  versionId: string
  runningStatus: string
  status: string
}

/** Of the workers that the page's site has, as long as the page lives. */
export async function controlWorker(page: Page): Promise<WorkerControl> {
  const session = await page.context().newCDPSession(page)
  const versions = new Map<string, WorkerVersion>()
  session.on('ServiceWorker.workerVersionUpdated', ({ versions: updatedVersions }) => {
    for (const version of updatedVersions) versions.set(version.versionId, version)
  })
  await session.send('ServiceWorker.enable')
  const getRunningVersions = () => [...versions.values()].filter(({ runningStatus }) => runningStatus === 'running')

  async function stopAll(versionsToStop: readonly WorkerVersion[]) {
    for (const { versionId } of versionsToStop) await session.send('ServiceWorker.stopWorker', { versionId })
  }

  async function stop(): Promise<boolean> {
    const runningVersions = getRunningVersions()
    await stopAll(runningVersions)
    return runningVersions.length > 0
  }

  async function stopOutgoing(): Promise<void> {
    const hasWaitingVersion = [...versions.values()].some(({ status }) => status === 'installed')
    if (hasWaitingVersion) await stopAll(getRunningVersions().filter(({ status }) => status === 'activated'))
  }

  return {
    isRunning: () => getRunningVersions().length > 0,
    stop,
    stopOutgoing,
  }
}

const stopIntervalMs = 5_000

/**
 * Awaits what comes when a new worker takes over. A call in the moment in which the old one ends brings it back; a browser
 * takes it away again when it had nothing to do for half a minute, but not under a debugger, which is what drives the page
 * here. So its rest is given to it, and sooner.
 */
export async function stopOutgoingWhile<T>(page: Page, promise: Promise<T>): Promise<T> {
  const { stopOutgoing } = await controlWorker(page)
  const timer = setInterval(() => void stopOutgoing().catch(() => {}), stopIntervalMs)
  try {
    return await promise
  } finally {
    clearInterval(timer)
  }
}
