/**
 * Reads and writes the files of one service in `instances/<code>-<service>/`:
 * - `instance.json`: the target state
 * - `tasks.json`: the running tasks
 * - `data`: the data; after a restore, the folder that `instance.json` names
 * - `apps`, `logs`, `logs/tasks` and `drafts`
 */
import { randomBytes } from 'node:crypto'
import { mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { Deployment, InstanceConfig, InstanceFault, InstanceRef } from '#server/drivers/hosting/hosting-driver.ts'
import { readJsonFile, syncFolder, writeFileAtomically } from '#server/drivers/hosting/atomic-file.ts'
import type { ProcessIdentity } from '#server/drivers/hosting/local/process-identity.ts'

export interface InstalledApp {
  code: string
  name: string
  version: string
  module: string
  flags: Readonly<Record<string, boolean | number>>
  /** Folder name in `apps`. Null if the app was published before packages were stored. */
  folder: string | null
}

/** The settings with which tasks are started. A changed configuration becomes active only at a start. */
export interface ActiveSetting {
  /** Increases with each setting, so that tasks with an outdated setting can be recognised. */
  number: number
  fence: number
  config: InstanceConfig
  apps: readonly InstalledApp[]
}

export interface DeploymentRecord extends Pick<Deployment, 'fence' | 'state'> {
  /** Number of its setting. */
  setting: number
  /** Epoch ms. */
  since: number
  /** Reason that the portal gave for the rollback. */
  fault: InstanceFault | null
  /** Setting to return to. Null if nothing ran before, and after the end of the deployment. */
  previous: ActiveSetting | null
}

export interface InstanceRecord extends InstanceRef {
  format: 1
  name: string
  created: boolean
  /** `hadData` in the result of the latest `prepare`. */
  hadData: boolean
  /** True if somebody may have signed in since the data was created. */
  hasPassword: boolean
  wanted: 'running' | 'stopped'
  fence: number
  config: InstanceConfig
  apps: readonly InstalledApp[]
  active: ActiveSetting | null
  /** Missing in records of earlier builds. Null for a stopped or removed instance. */
  deployment?: DeploymentRecord | null
  /** Name of the data folder; `data` if missing. A restore changes the name, which replaces all data atomically. */
  data?: string
  /** User and group id of the instance, which owns its files. Missing if the instance runs as the host's own user. */
  user?: number
}

export interface InstanceTaskRecord extends ProcessIdentity {
  /** Number of the task, from 1. */
  number: number
  /** Epoch ms. */
  since: number
  socket: string
  active: number
  config: InstanceConfig
  limitMb: number
  user?: number
}

const codePattern = /^[a-z][a-z0-9]{2,15}$/
const folderPattern = /^([a-z][a-z0-9]{2,15})-([1-9]\d{0,14})$/

/** The code becomes part of paths and host names, so its format is restricted. */
export const isInstanceRef = ({ code, serviceId }: InstanceRef): boolean =>
  typeof code === 'string' && codePattern.test(code) && Number.isSafeInteger(serviceId) && serviceId > 0

export const getInstancesFolder = (folder: string): string => join(folder, 'instances')

/** Throws if the reference is invalid, because it becomes part of a path. */
export function getInstanceFolder(folder: string, ref: InstanceRef): string {
  if (!isInstanceRef(ref)) throw new Error('the code or the id of the service is invalid')
  return join(getInstancesFolder(folder), `${ref.code}-${ref.serviceId}`)
}

/** Returns all instances that have a folder. Also finishes erasures that a crash interrupted. */
export function listInstances(folder: string): InstanceRef[] {
  const names = listNames(getInstancesFolder(folder))
  for (const name of names)
    if (name.startsWith(erasedPrefix)) rmSync(join(getInstancesFolder(folder), name), removeOptions)
  return names.flatMap((name) => {
    const [, code = '', serviceId = ''] = folderPattern.exec(name) ?? []
    return code === '' ? [] : [{ code, serviceId: Number(serviceId) }]
  })
}

export const erasedPrefix = '.erased-'
export const removeOptions = { recursive: true, force: true, maxRetries: 3 } as const

/** Returns null if the record is missing or malformed. */
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

export function removeUnusedDataFolders(instanceFolder: string, { data = 'data' }: Pick<InstanceRecord, 'data'>): void {
  for (const name of listNames(instanceFolder)) {
    if (!dataFolderPattern.test(name) || name === data) continue
    // The folder is first moved to where the instance's user cannot write. Otherwise that user's links could lead the removal elsewhere.
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
