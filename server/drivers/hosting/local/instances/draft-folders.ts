/** Creates draft folders. The name of a folder identifies its process, so that folders of killed processes can be recognised. */
import { createHash, randomBytes } from 'node:crypto'
import { mkdirSync, readdirSync, rmSync } from 'node:fs'
import { basename, join } from 'node:path'
import { HostingError } from '#server/drivers/hosting/hosting-driver.ts'
import { removeOptions } from '#server/drivers/hosting/local/instances/files.ts'
import { readIdentity } from '#server/drivers/hosting/local/process-identity.ts'

const draftNamePattern = /^(\d+)-([0-9a-f]{16})-[0-9a-f]{16}$/
const getDraftsFolder = (instanceFolder: string) => join(instanceFolder, 'drafts')

export interface DraftFolder {
  name: string
  path: string
  remove(): void
}

/** Creates a draft folder. Removes the folders of killed processes first. */
export function openDraftFolder(instanceFolder: string): DraftFolder {
  removeStaleDrafts(instanceFolder)
  const ownProcess = readIdentity(process.pid)
  const name = `${process.pid}-${hashStartTime(ownProcess?.started ?? '')}-${randomBytes(8).toString('hex')}`
  const path = join(getDraftsFolder(instanceFolder), name)
  makeFolder(getDraftsFolder(instanceFolder))
  makeFolder(path)
  return { name, path, remove: () => rmSync(path, removeOptions) }
}

/** Does not create the parent folder, because the instance may be erased at the same time. */
function makeFolder(path: string): void {
  try {
    mkdirSync(path, { mode: 0o700 })
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException
    if (code === 'ENOENT') throw new HostingError('no_instance', 'the instance was erased in the meantime', { cause })
    if (code !== 'EEXIST') throw cause
  }
}

/** Throws if it is not the name of a draft, because the name becomes part of a path. */
export function getDraftPath(instanceFolder: string, name: string): string {
  if (basename(name) !== name || !draftNamePattern.test(name)) throw new Error('the name of the draft is invalid')
  return join(getDraftsFolder(instanceFolder), name)
}

export function removeStaleDrafts(instanceFolder: string): void {
  for (const name of listDraftNames(instanceFolder) ?? [])
    if (!isInUse(name)) rmSync(join(getDraftsFolder(instanceFolder), name), removeOptions)
}

function isInUse(name: string): boolean {
  const [, pid, mark] = draftNamePattern.exec(name) ?? []
  const owner = readIdentity(Number(pid))
  return owner !== null && hashStartTime(owner.started) === mark
}

const hashStartTime = (started: string) => createHash('sha256').update(started).digest('hex').slice(0, 16)

/** Returns null if the folder does not exist yet. */
function listDraftNames(instanceFolder: string): string[] | null {
  try {
    return readdirSync(getDraftsFolder(instanceFolder))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
    throw error
  }
}
