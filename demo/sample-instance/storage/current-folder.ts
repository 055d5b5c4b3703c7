/**
 * Names the folder of the current data in `current.json`. Writing this small file replaces all data at once: after a crash the instance has
 * either the old or the new data.
 */
import { join } from 'node:path'
import { readJsonFile } from '#server/drivers/hosting/atomic-file.ts'
import { writeDurably } from '#demo/sample-instance/storage/write-durably.ts'

export interface CurrentFolder {
  /** Path of the folder below the storage's folder. */
  folder: string
  /** Folders of earlier data that are not removed yet. */
  replaced: readonly string[]
}

const getPath = (root: string) => join(root, 'current.json')

export const readCurrentFolder = (root: string): CurrentFolder =>
  readJsonFile<CurrentFolder>(getPath(root)) ?? { folder: 'data', replaced: [] }

/** The change is durable when this returns. */
export const writeCurrentFolder = (root: string, current: CurrentFolder): void =>
  writeDurably(getPath(root), JSON.stringify(current))
