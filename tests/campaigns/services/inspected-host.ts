/** What the campaign of kills needs of a platform: settings of the portal, and what really runs and exists there. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { InstanceRef } from '#server/drivers/hosting/hosting-driver.ts'
import type { Portal } from '#tests/support/browser/browser.ts'
import { findProcesses, findTasks } from '#tests/support/hosting/hosting.ts'
import { putItems, readItems } from '#tests/support/hosting/instance-items.ts'

export interface InspectedHost {
  /** Settings of the portal. */
  settings: Record<string, string>
  /** Longest time in ms from the request of an operation to the kill, so that each step is hit. */
  maxDelayMs: number
  /** Counts the running processes or containers of a service. Different kinds of them are faults. */
  countTasks(ref: InstanceRef): Promise<number>
  /** Reads the memory limit in MB of the running tasks. Null if the platform does not show it. */
  readLimitMb(ref: InstanceRef): Promise<number | null>
  /** Lists what exists more than once or belongs to no service, as sentences. `refs` are all services of the portal. */
  listUnknown(refs: readonly InstanceRef[]): Promise<string[]>
  /** Returns what a service has: data and objects. Empty after it was erased. */
  listRemains(ref: InstanceRef): Promise<string[]>
  /** Replaces the items of a service, without its program. */
  putItems(ref: InstanceRef, names: readonly string[]): Promise<void>
  /** Reads the items of a service in the order of their creation, without its program. */
  readItems(ref: InstanceRef): Promise<string[]>
  /** Called after the portal was closed. Returns what is left, as sentences. */
  close(): Promise<string[]>
}

/** `getPortal` is called after the portal was started. */
export function openLocalHost(getPortal: () => Portal): InspectedHost {
  /** Set when the portal was started. */
  let folder: string | null = null
  const getFolder = () => (folder ??= join(getPortal().dataDir, 'hosting'))
  const listOwn = ({ code, serviceId }: InstanceRef, tasks: { command: string }[]) =>
    tasks.filter(({ command }) => command.includes(`${code}-${serviceId}`))
  return {
    settings: { HOSTING: 'local' },
    maxDelayMs: 1500,
    countTasks: async (ref) => listOwn(ref, findTasks(getFolder())).length,
    readLimitMb: async () => null,
    async listUnknown(refs) {
      const tasks = findTasks(getFolder())
      const ownTasks = new Set(refs.flatMap((ref) => listOwn(ref, tasks)))
      return tasks.filter((task) => !ownTasks.has(task)).map(({ command }) => `a process of no service: ${command}`)
    },
    async listRemains({ code, serviceId }) {
      const path = join(getFolder(), 'instances', `${code}-${serviceId}`)
      return existsSync(path) ? [path] : []
    },
    putItems: async ({ code, serviceId }, names) => putItems({ folder: getFolder() }, code, serviceId, names),
    readItems: async ({ code, serviceId }) => readItems({ folder: getFolder() }, code, serviceId),
    close: async () =>
      folder === null ? [] : findProcesses(folder).map(({ command }) => `still runs after the end: ${command}`),
  }
}
