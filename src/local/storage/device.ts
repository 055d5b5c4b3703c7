/** One per device: whose session it is, which users have something here, and the way to each one's database. */
import { Dexie, type Table } from 'dexie'
import { databaseName, openDatabase, opensAgain, type Storage, type UserDatabase } from '#local/storage/database.ts'
import { followTransactions } from '#local/storage/open-transactions.ts'
import '#local/storage/frozen-page.ts'
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

/** Several people use this device; stands beside the session. */
export interface SharedDevice {
  name: 'shared'
}

/** One user who has, or had, something on this device. */
export interface DeviceUser extends Subject {
  /** False while rows of theirs may be here. */
  clean: boolean
  /** Their session lapsed, and nobody else has come since: what is cached for them stays, sealed (decision 83). */
  lapsed?: boolean
}

export type Directory = Dexie & {
  session: Table<SessionRecord, 'now'> & Table<SharedDevice, 'shared'>
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
  noteLeftDatabases(directory, storage)
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

/** Where the browser took away the directory alone, it begins with the users whose databases are still here: they are wiped as ever. */
function noteLeftDatabases(directory: Directory, storage: Storage): void {
  let isNew = false
  directory.on('populate', () => void (isNew = true))
  // All else waits until this is done, so it has to use the handle that it is given.
  directory.on('ready', async (opened) => {
    if (!isNew) return
    isNew = false
    const found = (await (storage.indexedDB ?? indexedDB).databases?.()) ?? []
    const users = found.flatMap(({ name = '' }) => {
      const [, companyId, userId] = /^portal-(\d+)-(\d+)$/.exec(name) ?? []
      return userId === undefined ? [] : [{ companyId: Number(companyId), userId: Number(userId), clean: false }]
    })
    await opened.table('occupants').bulkPut(users)
  })
}

let own: Device | undefined
/** The device this page or worker runs on. Only handles live here: a worker that forgets them opens them again. */
export const thisDevice = (): Device => (own ??= openDevice())
