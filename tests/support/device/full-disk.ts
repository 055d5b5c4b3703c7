/** Simulates a full disk in a fake IndexedDB: puts fail as in a browser, at the put and when the transaction ends. */
import { IDBObjectStore as FakeStore } from 'fake-indexeddb'

type Transaction = { _state: string; _abort: (name: string) => void }

export interface FullDisk {
  refusedCount: number
  /** Ends the fault: puts succeed again. */
  repair(): void
}

/**
 * Makes every put of this process fail, beginning with put number `firstRefused`. `until` sets whether a deletion ends this, or only
 * `repair`.
 */
export function fillDisk({
  firstRefused = 1,
  until = 'mended',
}: {
  firstRefused?: number
  until?: 'mended' | 'deleted'
} = {}): FullDisk {
  const store = FakeStore.prototype as unknown as Record<
    'put' | 'add' | 'delete' | 'clear',
    (...args: unknown[]) => unknown
  >
  const originals = { put: store.put, add: store.add, delete: store.delete, clear: store.clear }
  let putCount = 0
  let isFull = true
  const disk: FullDisk = {
    refusedCount: 0,
    repair: () => void Object.assign(store, originals),
  }
  const createPut = (name: 'put' | 'add') =>
    function (this: { transaction: Transaction }, ...args: unknown[]) {
      putCount += 1
      const request = originals[name].apply(this, args) as EventTarget
      if (!isFull || putCount < firstRefused) return request
      const { transaction } = this
      // The request succeeds, and then the transaction is aborted. Only the transaction's inner error has the reason.
      request.addEventListener('success', () => {
        if (transaction._state !== 'active') return
        disk.refusedCount += 1
        transaction._abort('QuotaExceededError')
      })
      return request
    }
  const createDelete = (name: 'delete' | 'clear') =>
    function (this: unknown, ...args: unknown[]) {
      if (until === 'deleted') isFull = false
      return originals[name].apply(this, args)
    }
  Object.assign(store, {
    put: createPut('put'),
    add: createPut('add'),
    delete: createDelete('delete'),
    clear: createDelete('clear'),
  })
  return disk
}
