/**
 * The embedded hosting driver: services run as processes of this machine, watched by a supervisor of their own. The portal may end
 * or be killed; they go on.
 */
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
  /** Of data, logs and sockets; one supervisor for each. */
  folder: string
  /** Path of the program that each service runs: a file for Node that takes `serve` and `set-password`. */
  program: string
  /** Services are at `www.CODE.DOMAIN`; browsers take every name under `localhost` for this machine. */
  domain?: string
  /** Of the gateway; 0: any free one, the same again when it can be had. */
  port?: number
  /** Proxies in front of the gateway whose X-Forwarded-For is believed. */
  trustProxy?: number
  /** People reach services over TLS, by a proxy in front of the gateway. */
  tls?: boolean
  /** Of all services together; 0: what this machine can give. */
  memoryMb?: number
  /** Users of the operating system for instances; null: they share the portal's. */
  users?: SystemUserRange | null
  /** How long the supervisor stays when nothing is to run and nobody asks, ms. */
  idleMs?: number
  times?: Partial<TaskTimes>
  log: Pick<Logger, 'warn' | 'info'>
}

export interface LocalHosting extends HostingDriver {
  /** Ends the supervisor and all that it runs; what is to run begins again with the next call. Nothing to do where nothing runs. */
  shutDown(): Promise<void>
}

export function createLocalHosting({
  folder: configuredFolder,
  program,
  domain = 'localhost',
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
    { folder, program, domain, port, trustProxy, tls, memoryMb, users, idleMs, times },
    log,
  )
  const closeController = new AbortController()

  /** Where there has never been a service, none is looked for, and no process is started to say so. */
  const isEmpty = () => !existsSync(getInstancesFolder(folder)) || readdirSync(getInstancesFolder(folder)).length === 0

  function requireInstanceFolder(ref: InstanceRef): string {
    if (isInstanceRef(ref) && existsSync(getInstanceFolder(folder, ref))) return getInstanceFolder(folder, ref)
    throw new HostingError('no_instance', `there is no service ${ref.code}`)
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
    // In this process, which has the time for it: the supervisor is there for all that runs.
    async *readData(ref) {
      yield* readInstanceData(requireInstanceFolder(ref))
    },

    async replaceData(ref, pieces, operation) {
      const instanceFolder = requireInstanceFolder(ref)
      const state = await client.call('look', [ref])
      if (!state?.created) throw new HostingError('no_instance', `there is no service ${ref.code}`)
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

    // From the files themselves: of one that was taken away too, and while nothing runs.
    async *readLog(ref: InstanceRef, range: { from: number; to: number }) {
      yield* readLogFiles(getLogFolders(requireInstanceFolder(ref)), range)
    },

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
