import { IDBFactory, IDBKeyRange } from 'fake-indexeddb'
import { afterEach, expect, it, vi } from 'vitest'
import { listUsers, updateCompanyUser } from '#contract/users.ts'
import { openDevice } from '#local/storage/device.ts'
import { setDatabaseLost, readDatabaseState } from '#local/storage/open-transactions.ts'
import { readSession } from '#local/session/session.ts'
import { transact } from '#local/storage/transaction.ts'
import { createClock, createTablet } from '#tests/support/device/device.ts'
import { companyId } from '#tests/support/device/device-database.ts'
import { createScriptedServer } from '#tests/support/device/scripted-server.ts'

/** Returns the error that WebKit throws after its database process has ended. */
const createLostError = () =>
  new DOMException('Connection to Indexed Database server lost. Refresh the page to try again', 'UnknownError')

afterEach(() => {
  setDatabaseLost(false)
  vi.restoreAllMocks()
})

/** Makes the given number of transactions fail, on connections that are open now or opened later. */
function makeBreakable(factory: IDBFactory) {
  let failureCount = 0
  const open = factory.open.bind(factory)
  factory.open = (...args) => {
    const request = open(...args)
    request.addEventListener('success', () => {
      const { result } = request
      const beginTransaction = result.transaction.bind(result)
      result.transaction = (...names) => {
        if (failureCount > 0) {
          failureCount -= 1
          throw createLostError()
        }
        return beginTransaction(...names)
      }
    })
    return request
  }
  return { failTransactions: (count: number) => void (failureCount = count) }
}

it('A transaction runs again on a new connection if WebKit lost the connection (fault 39a)', async () => {
  const factory = new IDBFactory()
  const connections = makeBreakable(factory)
  const db = openDevice({ indexedDB: factory, IDBKeyRange }).getDatabase({ companyId: 1, userId: 2 })
  await db.open()
  connections.failTransactions(1)
  await transact(db, ['meta'], () => db.meta.put({ name: 'reserve', bytes: new Uint8Array(1) }))
  expect(await db.meta.count()).toBe(1)
  // Connections that other tests of this process left open may be silent, so the state may be `silent` instead of `ready`.
  expect(readDatabaseState()).not.toBe('lost')
})

it('The session is read again on a new connection (fault 39b)', async () => {
  const factory = new IDBFactory()
  const connections = makeBreakable(factory)
  const device = openDevice({ indexedDB: factory, IDBKeyRange })
  await device.directory.open()
  connections.failTransactions(1)
  expect(await readSession(device)).toBeNull()
})

it('A write that fails on a new connection too is reported as not saved, naming the database (fault 39c)', async () => {
  const clock = createClock()
  const scriptedServer = createScriptedServer(clock)
  const tablet = createTablet((request) => scriptedServer.transport(request), clock)
  await tablet.signIn('acme', 'user1@acme.example')
  await tablet.api.call(listUsers, { params: { companyId } })
  await tablet.settle()
  const db = tablet.device.getDatabase({ companyId, userId: 1 })
  const connection = Object.getPrototypeOf(db.backendDB()) as IDBDatabase
  const beginTransaction = connection.transaction
  vi.spyOn(connection, 'transaction').mockImplementation(function (this: IDBDatabase, stores, mode, options) {
    if (mode === 'readwrite') throw createLostError()
    return Reflect.apply(beginTransaction, this, [stores, mode, options]) as IDBTransaction
  })
  // Connections that were opened before the prototype was changed do not fail, so this connection is closed.
  db.close({ disableAutoOpen: false })
  const result = await tablet.api.call(updateCompanyUser, { params: { id: 2 }, body: { title: 1 } })
  expect(result).toMatchObject({ kind: 'problem', problem: { code: 'STORAGE_LOST' } })
  expect(readDatabaseState()).toBe('lost')
})
