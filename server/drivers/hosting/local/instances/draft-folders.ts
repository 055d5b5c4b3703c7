/**
 * Folders of files that are not finished: `drafts` of an instance. Each has in its name which process makes it, so that what a killed
 * one left is told from what is at work.
 */
import { createHash, randomBytes } from 'node:crypto'
import { mkdirSync, readdirSync, rmSync } from 'node:fs'
import { basename, join } from 'node:path'
import { HostingError } from '#server/drivers/hosting/driver.ts'
import { removed } from '#server/drivers/hosting/local/instances/files.ts'
import { identityOf } from '#server/drivers/hosting/local/process-identity.ts'

const shape = /^(\d+)-([0-9a-f]{16})-[0-9a-f]{16}$/
const folderOf = (place: string) => join(place, 'drafts')

export interface Draft {
  /** Of the folder alone. */
  name: string
  path: string
  remove(): void
}

/** What killed processes have left goes first. */
export function openDraft(place: string): Draft {
  removeLeftDrafts(place)
  const own = identityOf(process.pid)
  const name = `${process.pid}-${markOf(own?.started ?? '')}-${randomBytes(8).toString('hex')}`
  const path = join(folderOf(place), name)
  makeFolder(folderOf(place))
  makeFolder(path)
  return { name, path, remove: () => rmSync(path, removed) }
}

/** Not the one that it is in: the instance may be erased meanwhile. */
function makeFolder(path: string): void {
  try {
    mkdirSync(path, { mode: 0o700 })
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException
    if (code === 'ENOENT') throw new HostingError('no_instance', 'it was erased meanwhile', { cause })
    if (code !== 'EEXIST') throw cause
  }
}

/** Throws for what is no draft: it is part of a path. */
export function draftPath(place: string, name: string): string {
  if (basename(name) !== name || !shape.test(name)) throw new Error('no draft has that name')
  return join(folderOf(place), name)
}

export function removeLeftDrafts(place: string): void {
  for (const name of namesOf(place) ?? []) if (!isMade(name)) rmSync(join(folderOf(place), name), removed)
}

function isMade(name: string): boolean {
  const [, pid, mark] = shape.exec(name) ?? []
  const maker = identityOf(Number(pid))
  return maker !== null && markOf(maker.started) === mark
}

const markOf = (started: string) => createHash('sha256').update(started).digest('hex').slice(0, 16)

/** Null: there has been none yet. */
function namesOf(place: string): string[] | null {
  try {
    return readdirSync(folderOf(place))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
    throw error
  }
}
