/** One per device: whose session it is, which users have something here, and the way to each one's database. */
import { Dexie, type EntityTable, type Table } from 'dexie'
import { databaseName, openDatabase, opensAgain, type Storage, type UserDatabase } from '#local/storage/database.ts'
import { followTransactions } from '#local/storage/open-transactions.ts'
import type { Subject } from '#local/storage/records.ts'

export interface SessionRecord {
  name: 'now'
  subject: Subject | null
  generation: number
  /** Stands from an act of signing out until the server has heard of it (protocol 29). */
  signedOut: boolean
  /** When the server renews it no longer, this device's clock, epoch ms; absent: it did not say. */
  until?: number | undefined
  /** From when on the present token is renewed ahead, the same clock; absent: somebody does, or nobody need. */
  renewFrom?: number | undefined
  /** The hash of the newest access token that this device was given (decision 69). */
  newestAccess?: string | undefined
}

/** One user who has, or had, something on this device. */
export interface DeviceUser extends Subject {
  /** False while rows of theirs may be here. */
  clean: boolean
}

export type Directory = Dexie & {
  session: EntityTable<SessionRecord, 'name'>
  occupants: Table<DeviceUser, [number, number]>
}

export interface Device {
  directory: Directory
  of(subject: Subject): UserDatabase
}

export function openDevice(storage: Storage = {}): Device {
  followTransactions(storage.indexedDB ?? globalThis.indexedDB)
  const directory = new Dexie('portal-device', { ...storage, chromeTransactionDurability: 'strict' }) as Directory
  opensAgain(directory)
  directory.version(1).stores({ session: 'name', occupants: '[companyId+userId]' })
  const opened = new Map<string, UserDatabase>()
  return {
    directory,
    of(subject) {
      const name = databaseName(subject)
      const known = opened.get(name)
      if (known) return known
      const db = openDatabase(name, storage)
      opened.set(name, db)
      return db
    },
  }
}

let own: Device | undefined
/** The device this page or worker runs on. Only handles live here: a worker that forgets them opens them again. */
export const thisDevice = (): Device => (own ??= openDevice())
