/** The ports that page and worker have in common. Neither Dexie nor the pipeline comes with them. */
import { webLocks } from '#request/locks.ts'
import type { Ports } from '#request/ports.ts'

type Shared = Pick<Ports, 'network' | 'origin' | 'clock' | 'wait' | 'chance' | 'newId' | 'locks' | 'device' | 'lasting'>

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
  lasting: (work) => void work.catch((error: unknown) => console.error(error)),
}
