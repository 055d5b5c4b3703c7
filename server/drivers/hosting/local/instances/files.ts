/**
 * What is on the disk of one service: `instances/<code>-<service>/` with `instance.json` (what is to be), `tasks.json` (what runs),
 * `data` (or, once its data was replaced, the folder that `instance.json` names), `apps`, `logs` of its host with `tasks` in it, and
 * `drafts` of what is not finished.
 */
import { randomBytes } from 'node:crypto'
import { mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { InstanceConfig, InstanceRef } from '#server/drivers/hosting/driver.ts'
import { readJsonFile, syncFolder, writeWhole } from '#server/drivers/hosting/local/atomic-file.ts'
import type { ProcessIdentity } from '#server/drivers/hosting/local/process-identity.ts'

export interface InstalledApp {
  code: string
  name: string
  version: string
  module: string
  flags: Readonly<Record<string, boolean | number>>
  /** Of `apps`; null: it was published before packages were kept. */
  folder: string | null
}

/** What tasks are started with. A start writes it down anew; until the next one it stays, whatever is configured. */
export interface ActiveSetting {
  /** Rises with each one, so that a task knows whether it is of the latest. */
  number: number
  fence: number
  config: InstanceConfig
  apps: readonly InstalledApp[]
}

export interface InstanceRecord extends InstanceRef {
  format: 1
  name: string
  created: boolean
  /** As the latest `prepare` found it. */
  hadData: boolean
  /** Somebody could have signed in since the data was new. */
  hasPassword: boolean
  wanted: 'running' | 'stopped'
  fence: number
  config: InstanceConfig
  apps: readonly InstalledApp[]
  active: ActiveSetting | null
  /** The folder of its data; absent: `data`. Another one is named in the moment in which all of its data is replaced. */
  data?: string
  /** Number of the user, and group, that runs it and has its files; absent: those of the host. */
  user?: number
}

export interface TaskRecord extends ProcessIdentity {
  /** From 1. */
  number: number
  /** Epoch ms. */
  since: number
  /** Path of its socket. */
  socket: string
  /** Number of the setting it was started with. */
  active: number
  config: InstanceConfig
  limitMb: number
  user?: number
}

const codeShape = /^[a-z][a-z0-9]{2,15}$/
const folderShape = /^([a-z][a-z0-9]{2,15})-([1-9]\d{0,14})$/

/** It becomes part of paths and of addresses. */
export const isInstanceRef = ({ code, serviceId }: InstanceRef): boolean =>
  typeof code === 'string' && codeShape.test(code) && Number.isSafeInteger(serviceId) && serviceId > 0

export const instancesFolder = (folder: string): string => join(folder, 'instances')

/** Throws for what is no reference to a service: it is part of a path. */
export function folderOf(folder: string, ref: InstanceRef): string {
  if (!isInstanceRef(ref)) throw new Error('no service has that code and number')
  return join(instancesFolder(folder), `${ref.code}-${ref.serviceId}`)
}

/** Of all whose folder is there. What was being erased when the process ended is erased. */
export function foundInstances(folder: string): InstanceRef[] {
  const names = namesIn(instancesFolder(folder))
  for (const name of names) if (name.startsWith(erased)) rmSync(join(instancesFolder(folder), name), removed)
  return names.flatMap((name) => {
    const [, code = '', serviceId = ''] = folderShape.exec(name) ?? []
    return code === '' ? [] : [{ code, serviceId: Number(serviceId) }]
  })
}

/** Names of folders of what goes begin like this: no service's does. */
export const erased = '.erased-'
export const removed = { recursive: true, force: true, maxRetries: 3 } as const

/** Null: it is not there, or was cut off before it was first written. */
export const readInstance = (place: string): InstanceRecord | null => readJsonFile(join(place, 'instance.json'))

export function writeInstance(place: string, record: InstanceRecord): void {
  writeWhole(join(place, 'instance.json'), `${JSON.stringify(record, null, 1)}\n`)
}

export const readTasks = (place: string): TaskRecord[] => readJsonFile(join(place, 'tasks.json')) ?? []
export const writeTasks = (place: string, tasks: readonly TaskRecord[]): void =>
  writeWhole(join(place, 'tasks.json'), JSON.stringify(tasks))

const dataShape = /^data(-[0-9a-f]{12})?$/

export const newDataName = (): string => `data-${randomBytes(6).toString('hex')}`
export const dataFolder = (place: string, { data = 'data' }: Pick<InstanceRecord, 'data'>): string => join(place, data)
export const dataFile = (place: string, record: Pick<InstanceRecord, 'data'>): string =>
  join(dataFolder(place, record), 'instance.db')

/** Data that was replaced, or was never taken up. */
export function removeUnusedData(place: string, { data = 'data' }: Pick<InstanceRecord, 'data'>): void {
  for (const name of namesIn(place)) {
    if (!dataShape.test(name) || name === data) continue
    // Out of reach of the instance's own user first: what is removed while somebody writes to it could lead elsewhere.
    const closed = join(place, 'drafts')
    mkdirSync(closed, { recursive: true, mode: 0o700 })
    renameSync(join(place, name), join(closed, name))
    rmSync(join(closed, name), removed)
  }
}

export const hostLogs = (place: string): string => join(place, 'logs')
export const taskLogs = (place: string): string => join(place, 'logs', 'tasks')
export const logFolders = (place: string): string[] => [hostLogs(place), taskLogs(place)]

export function makeFolders(place: string, { data = 'data' }: Pick<InstanceRecord, 'data'>): void {
  for (const name of [data, 'apps', 'logs', 'logs/tasks'])
    mkdirSync(join(place, name), { recursive: true, mode: 0o700 })
  syncFolder(place)
}

function namesIn(path: string): string[] {
  try {
    return readdirSync(path)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
    throw error
  }
}
