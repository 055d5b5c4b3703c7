/** One per device: whose session it is, which users have something here, and the way to each one's database. */
import { Dexie, type Table } from 'dexie'
import {
  buildDatabaseName,
  openDatabase,
  reopenAfterFailure,
  type StorageFactories,
  type UserDatabase,
} from '#local/storage/database.ts'
import { followTransactions } from '#local/storage/open-transactions.ts'
import '#local/storage/frozen-page.ts'
import type { Subject } from '#local/storage/records.ts'
import { renameOccupantFields } from '#local/storage/upgrade.ts'

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

export const isSameSubject = (a: Subject | null, b: Subject) => a?.companyId === b.companyId && a.userId === b.userId

/** One user who has, or had, something on this device. */
export interface DeviceUser extends Subject {
  /** False while rows of theirs may be here. */
  clean: boolean
  /** Their session lapsed, and nobody else has come since: what is cached for them stays, sealed (decision 83). */
  isExpired?: boolean
}

export type DeviceDirectory = Dexie & {
  session: Table<SessionRecord, 'now'> & Table<SharedDevice, 'shared'>
  occupants: Table<DeviceUser, [number, number]>
}

export interface Device {
  directory: DeviceDirectory
  getDatabase(subject: Subject): UserDatabase
}

export function openDevice(storage: StorageFactories = {}): Device {
  followTransactions(storage.indexedDB ?? globalThis.indexedDB)
  const directory = new Dexie('portal-device', { ...storage, chromeTransactionDurability: 'strict' }) as DeviceDirectory
  reopenAfterFailure(directory)
  directory.version(1).stores({ session: 'name', occupants: '[companyId+userId]' })
  directory
    .version(2)
    .stores({})
    .upgrade((transaction) => renameOccupantFields(transaction.table('occupants')))
  addLeftDatabases(directory, storage)
  const databasesByName = new Map<string, UserDatabase>()
  return {
    directory,
    getDatabase(subject) {
      const name = buildDatabaseName(subject)
      const openedDatabase = databasesByName.get(name)
      if (openedDatabase) return openedDatabase
      const db = openDatabase(name, storage)
      databasesByName.set(name, db)
      return db
    },
  }
}

/** Where the browser took away the directory alone, it begins with the users whose databases are still here: they are wiped as ever. */
function addLeftDatabases(directory: DeviceDirectory, storage: StorageFactories): void {
  let isNew = false
  directory.on('populate', () => void (isNew = true))
  // All else waits until this is done, so it has to use the handle that it is given.
  directory.on('ready', async (database) => {
    if (!isNew) return
    isNew = false
    const databases = (await (storage.indexedDB ?? indexedDB).databases?.()) ?? []
    const users = databases.flatMap(({ name = '' }) => {
      const [, companyId, userId] = /^portal-(\d+)-(\d+)$/.exec(name) ?? []
      return userId === undefined ? [] : [{ companyId: Number(companyId), userId: Number(userId), clean: false }]
    })
    await database.table('occupants').bulkPut(users)
  })
}

let currentDevice: Device | undefined
/** The device this page or worker runs on. Only handles live here: a worker that forgets them opens them again. */
export const getThisDevice = (): Device => (currentDevice ??= openDevice())
