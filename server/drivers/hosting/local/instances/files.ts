/**
 * What is on the disk of one service: `instances/<code>-<service>/` with `instance.json` (what is to be), `tasks.json` (what runs),
 * `data` (or, once its data was replaced, the folder that `instance.json` names), `apps`, `logs` of its host with `tasks` in it, and
 * `drafts` of what is not finished.
 */
import { randomBytes } from 'node:crypto'
import { mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { InstanceConfig, InstanceRef } from '#server/drivers/hosting/hosting-driver.ts'
import { readJsonFile, syncFolder, writeFileAtomically } from '#server/drivers/hosting/local/atomic-file.ts'
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

export interface InstanceTaskRecord extends ProcessIdentity {
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

const codePattern = /^[a-z][a-z0-9]{2,15}$/
const folderPattern = /^([a-z][a-z0-9]{2,15})-([1-9]\d{0,14})$/

/** It becomes part of paths and of addresses. */
export const isInstanceRef = ({ code, serviceId }: InstanceRef): boolean =>
  typeof code === 'string' && codePattern.test(code) && Number.isSafeInteger(serviceId) && serviceId > 0

export const getInstancesFolder = (folder: string): string => join(folder, 'instances')

/** Throws for what is no reference to a service: it is part of a path. */
export function getInstanceFolder(folder: string, ref: InstanceRef): string {
  if (!isInstanceRef(ref)) throw new Error('no service has that code and number')
  return join(getInstancesFolder(folder), `${ref.code}-${ref.serviceId}`)
}

/** Of all whose folder is there. What was being erased when the process ended is erased. */
export function listInstances(folder: string): InstanceRef[] {
  const names = listNames(getInstancesFolder(folder))
  for (const name of names)
    if (name.startsWith(erasedPrefix)) rmSync(join(getInstancesFolder(folder), name), removeOptions)
  return names.flatMap((name) => {
    const [, code = '', serviceId = ''] = folderPattern.exec(name) ?? []
    return code === '' ? [] : [{ code, serviceId: Number(serviceId) }]
  })
}

/** Names of folders of what goes begin like this: no service's does. */
export const erasedPrefix = '.erased-'
export const removeOptions = { recursive: true, force: true, maxRetries: 3 } as const

/** Null: it is not there, or was cut off before it was first written. */
export const readInstanceRecord = (instanceFolder: string): InstanceRecord | null =>
  readJsonFile(join(instanceFolder, 'instance.json'))

export function writeInstanceRecord(instanceFolder: string, record: InstanceRecord): void {
  writeFileAtomically(join(instanceFolder, 'instance.json'), `${JSON.stringify(record, null, 1)}\n`)
}

export const readTaskRecords = (instanceFolder: string): InstanceTaskRecord[] =>
  readJsonFile(join(instanceFolder, 'tasks.json')) ?? []
export const writeTaskRecords = (instanceFolder: string, tasks: readonly InstanceTaskRecord[]): void =>
  writeFileAtomically(join(instanceFolder, 'tasks.json'), JSON.stringify(tasks))

const dataFolderPattern = /^data(-[0-9a-f]{12})?$/

export const createDataName = (): string => `data-${randomBytes(6).toString('hex')}`
export const getDataFolder = (instanceFolder: string, { data = 'data' }: Pick<InstanceRecord, 'data'>): string =>
  join(instanceFolder, data)
export const getDataFile = (instanceFolder: string, record: Pick<InstanceRecord, 'data'>): string =>
  join(getDataFolder(instanceFolder, record), 'instance.db')

/** Data that was replaced, or was never taken up. */
export function removeUnusedDataFolders(instanceFolder: string, { data = 'data' }: Pick<InstanceRecord, 'data'>): void {
  for (const name of listNames(instanceFolder)) {
    if (!dataFolderPattern.test(name) || name === data) continue
    // Out of reach of the instance's own user first: what is removed while somebody writes to it could lead elsewhere.
    const draftsFolder = join(instanceFolder, 'drafts')
    mkdirSync(draftsFolder, { recursive: true, mode: 0o700 })
    renameSync(join(instanceFolder, name), join(draftsFolder, name))
    rmSync(join(draftsFolder, name), removeOptions)
  }
}

export const getHostLogFolder = (instanceFolder: string): string => join(instanceFolder, 'logs')
export const getTaskLogFolder = (instanceFolder: string): string => join(instanceFolder, 'logs', 'tasks')
export const getLogFolders = (instanceFolder: string): string[] => [
  getHostLogFolder(instanceFolder),
  getTaskLogFolder(instanceFolder),
]

export function makeInstanceFolders(instanceFolder: string, { data = 'data' }: Pick<InstanceRecord, 'data'>): void {
  for (const name of [data, 'apps', 'logs', 'logs/tasks'])
    mkdirSync(join(instanceFolder, name), { recursive: true, mode: 0o700 })
  syncFolder(instanceFolder)
}

function listNames(path: string): string[] {
  try {
    return readdirSync(path)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
    throw error
  }
}
