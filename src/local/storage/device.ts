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
  /** True from a sign-out until the server knows of it (protocol 29). */
  signedOut: boolean
  /** Time after which the server no longer renews the session (device clock, epoch ms). Absent if the server sent no end time. */
  until?: number | undefined
  /** Time from which the current token is renewed early (device clock, epoch ms). Absent if a renewal is already claimed or not needed. */
  renewFrom?: number | undefined
  /** Hash of the latest access token that this device received (decision 69). */
  newestAccess?: string | undefined
  /** Set while the user acts for a customer: the end of the consent (server time, epoch ms). */
  actingUntil?: number | undefined
  /** The user's own session, to which the device returns. Absent if the device did not have it. */
  actingFrom?: Subject | undefined
}

export interface SharedDevice {
  name: 'shared'
}

export const isSameSubject = (a: Subject | null, b: Subject) => a?.companyId === b.companyId && a.userId === b.userId

export interface DeviceUser extends Subject {
  clean: boolean
  /** True if the session expired and no other user has signed in since. The cached data stays, sealed (decision 83). */
  isExpired?: boolean
  /** True for the data of a customer for whom the user acted. All of it is deleted, nothing is sealed (decision 111). */
  isActing?: boolean
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

/** If the browser deleted only the directory, adds an entry for each user whose database still exists. That data is then wiped. */
function addLeftDatabases(directory: DeviceDirectory, storage: StorageFactories): void {
  let isNew = false
  directory.on('populate', () => void (isNew = true))
  // All other access waits for this handler, so it must use the handle that Dexie passes.
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
/** Returns the device of this page or worker. Only handles are stored here; a restarted worker opens them again. */
export const getThisDevice = (): Device => (currentDevice ??= openDevice())
