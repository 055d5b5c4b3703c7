/** Runs services as processes of this machine. They belong to a separate supervisor, so they keep running if the portal ends. */
import { existsSync, readdirSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { Logger } from 'pino'
import { HostingError, type HostingDriver, type InstanceRef } from '#server/drivers/hosting/hosting-driver.ts'
import { buildData } from '#server/drivers/hosting/local/build-data.ts'
import { openControlClient } from '#server/drivers/hosting/local/supervisor/control-client.ts'
import { openDraftFolder } from '#server/drivers/hosting/local/instances/draft-folders.ts'
import {
  getInstanceFolder,
  getInstancesFolder,
  isInstanceRef,
  getLogFolders,
} from '#server/drivers/hosting/local/instances/files.ts'
import { readLogFiles } from '#server/drivers/hosting/local/log-reader.ts'
import { readInstanceData } from '#server/drivers/hosting/local/read-data.ts'
import type { SystemUserRange } from '#server/drivers/hosting/local/instances/user-isolation.ts'
import type { TaskTimes } from '#server/drivers/hosting/local/instances/task.ts'
import { watchChanges } from '#server/drivers/hosting/local/supervisor/watch-changes.ts'

export interface LocalHostingSettings {
  /** Folder for data, logs and sockets. Each folder has one supervisor. */
  folder: string
  /** Path of the program that each service runs: a Node script with the commands `serve` and `set-password`. */
  program: string
  /** Services are at `www.CODE.DOMAIN`. Browsers resolve every name under `localhost` to this machine. */
  domain?: string
  /** Address on which the gateway listens. */
  host?: string
  /** Port of the gateway; 0 chooses a free port, preferably the previous one. */
  port?: number
  /** Number of proxies in front of the gateway whose X-Forwarded-For is trusted. */
  trustProxy?: number
  /** True if a proxy in front of the gateway terminates TLS. */
  tls?: boolean
  /** Memory in MB for all services together; 0 means as much as this machine can provide. */
  memoryMb?: number
  /** System users for the instances. Null if all instances run as the portal's user. */
  users?: SystemUserRange | null
  /** Time in ms without running instances and requests after which the supervisor ends. */
  idleMs?: number
  times?: Partial<TaskTimes>
  log: Pick<Logger, 'warn' | 'info'>
}

export interface LocalHosting extends HostingDriver {
  /** Ends the supervisor and all tasks; the next call starts them again. Does nothing if no supervisor runs. */
  shutDown(): Promise<void>
}

export function createLocalHosting({
  folder: configuredFolder,
  program,
  domain = 'localhost',
  host = '127.0.0.1',
  port = 0,
  trustProxy = 0,
  tls = false,
  memoryMb = 0,
  users = null,
  idleMs = 60_000,
  times = {},
  log,
}: LocalHostingSettings): LocalHosting {
  const folder = resolve(configuredFolder)
  const client = openControlClient(
    { folder, program, domain, host, port, trustProxy, tls, memoryMb, users, idleMs, times },
    log,
  )
  const closeController = new AbortController()

  const isEmpty = () => !existsSync(getInstancesFolder(folder)) || readdirSync(getInstancesFolder(folder)).length === 0

  function requireInstanceFolder(ref: InstanceRef): string {
    if (isInstanceRef(ref) && existsSync(getInstanceFolder(folder, ref))) return getInstanceFolder(folder, ref)
    throw new HostingError('no_instance', `the service ${ref.code} does not exist`)
  }

  return {
    name: 'local',
    prepare: (...args) => client.call('prepare', args),
    async install(...args) {
      await client.call('install', args)
    },
    async configure(...args) {
      await client.call('configure', args)
    },
    async start(...args) {
      await client.call('start', args)
    },
    async switchOver(...args) {
      await client.call('switchOver', args)
    },
    async rollBack(...args) {
      await client.call('rollBack', args)
    },
    async stop(...args) {
      await client.call('stop', args)
    },
    async setPassword(...args) {
      await client.call('setPassword', args)
    },
    async remove(...args) {
      await client.call('remove', args)
    },
    async erase(...args) {
      await client.call('erase', args)
    },
    // The data is read in this process, because the supervisor must stay responsive for all instances.
    async *readData(ref) {
      yield* readInstanceData(requireInstanceFolder(ref))
    },

    async replaceData(ref, pieces, operation) {
      const instanceFolder = requireInstanceFolder(ref)
      const state = await client.call('look', [ref])
      if (!state?.created) throw new HostingError('no_instance', `the service ${ref.code} does not exist`)
      const draft = openDraftFolder(instanceFolder)
      try {
        await buildData(join(draft.path, 'instance.db'), pieces)
        await client.call('takeData', [ref, draft.name, operation])
      } finally {
        draft.remove()
      }
    },

    look: async (ref) => (isEmpty() ? null : client.call('look', [ref])),
    lookAll: async () => (isEmpty() ? [] : client.call('lookAll', [])),

    // The log is read from the files, so that this also works for removed and stopped instances.
    async *readLog(ref: InstanceRef, range: { from: number; to: number }) {
      yield* readLogFiles(getLogFolders(requireInstanceFolder(ref)), range)
    },

    upkeep: null,

    watch: (onChange) => watchChanges({ client, folder, isEmpty, log, onChange, endSignal: closeController.signal }),

    async close() {
      closeController.abort()
    },

    async shutDown() {
      closeController.abort()
      if (existsSync(folder)) await client.shutDown()
    },
  }
}
