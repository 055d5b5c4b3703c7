/** A fake IndexedDB whose disk is full: what is put from then on fails as a browser fails it, at the put and in the end. */
import { IDBObjectStore as FakeStore } from 'fake-indexeddb'

type Transaction = { _state: string; _abort: (name: string) => void }

export interface FullDisk {
  /** Puts that failed. */
  refused: number
  /** There is room again. */
  mend(): void
}

/** From its `nth` put on every put of this process fails; `until` something was deleted makes room again. */
export function fillDisk({ nth = 1, until = 'mended' }: { nth?: number; until?: 'mended' | 'deleted' } = {}): FullDisk {
  const store = FakeStore.prototype as unknown as Record<
    'put' | 'add' | 'delete' | 'clear',
    (...given: unknown[]) => unknown
  >
  const real = { put: store.put, add: store.add, delete: store.delete, clear: store.clear }
  let puts = 0
  let isFull = true
  const disk: FullDisk = {
    refused: 0,
    mend: () => void Object.assign(store, real),
  }
  const refusing = (name: 'put' | 'add') =>
    function (this: { transaction: Transaction }, ...given: unknown[]) {
      puts += 1
      const asked = real[name].apply(this, given) as EventTarget
      if (!isFull || puts < nth) return asked
      const { transaction } = this
      // The request succeeds and the transaction is aborted, with its reason only inside.
      asked.addEventListener('success', () => {
        if (transaction._state !== 'active') return
        disk.refused += 1
        transaction._abort('QuotaExceededError')
      })
      return asked
    }
  const freeing = (name: 'delete' | 'clear') =>
    function (this: unknown, ...given: unknown[]) {
      if (until === 'deleted') isFull = false
      return real[name].apply(this, given)
    }
  Object.assign(store, {
    put: refusing('put'),
    add: refusing('add'),
    delete: freeing('delete'),
    clear: freeing('clear'),
  })
  return disk
}
