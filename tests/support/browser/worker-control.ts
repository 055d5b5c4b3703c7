/** Stops service workers as a browser does if it needs memory: at any time, regardless of their work. */
import type { Page } from 'playwright-core'

export interface WorkerControl {
  isRunning(): boolean
  /** Stops all running workers. Returns false if none was running. */
  stop(): Promise<boolean>
  /** Stops the controlling worker while another one waits. */
  stopOutgoing(): Promise<void>
}

interface WorkerVersion {
  versionId: string
  runningStatus: string
  status: string
}

/** Controls the workers of the page's site until the page is closed. */
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
 * Waits for `promise` while a new worker takes over. Normally a browser stops an idle old worker after half a minute, but not while a
 * debugger is attached, as it is to this page. So this function stops the old worker, and stops it again if a request restarts it.
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
