/** The ports that page and worker have in common. Neither Dexie nor the pipeline comes with them. */
import { webLocks } from '#request/locks.ts'
import type { Ports } from '#request/ports.ts'

type Shared = Omit<Ports, 'build' | 'access' | 'wakeLater'>

const wait = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms))

export const browserPorts: Shared = {
  network: (request) => fetch(request),
  origin: location.origin,
  clock: () => Date.now(),
  wait,
  chance: () => Math.random(),
  newId: () => crypto.randomUUID(),
  locks: webLocks(navigator.locks, wait),
  device: async () => (await import('#local/device.ts')).thisDevice(),
  lasting: (work) => void work.catch(reportError),
  report: reportError,
}
