/**
 * Lets only one request at a time write an upload's bytes. A new request on the same node cancels the earlier one, whose connection may be
 * dead. A lease in the database protects against other nodes.
 */
import { randomUUID } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import { type Lock, type Locker, MemoryLocker } from '@tus/server'
import { releaseLease, acquireLease } from '#server/db/catalogue/app-uploads.ts'
import { writeAsSystem } from '#server/db/transaction.ts'
import type { AppContext } from '#server/context/context.ts'
import { createUnavailableProblem } from '#server/problems/problem-error.ts'

/** Times in ms. `timeoutMs` is how long a request waits for the lock. */
const intervals = { leaseMs: 10_000, heartbeatMs: 3_000, retryMs: 250, timeoutMs: 5_000 }

export class UploadLocker implements Locker {
  private readonly app: AppContext
  private readonly timeoutMs: number
  private readonly localLocker: MemoryLocker
  constructor(app: AppContext, timeoutMs = intervals.timeoutMs) {
    this.app = app
    this.timeoutMs = timeoutMs
    this.localLocker = new MemoryLocker({ acquireLockTimeout: timeoutMs })
  }
  newLock(id: string): Lock {
    return new UploadLock(this.app, this.localLocker.newLock(id), id, this.timeoutMs)
  }
}

class UploadLock implements Lock {
  private readonly lease = randomUUID()
  private heartbeat: NodeJS.Timeout | undefined
  private readonly app: AppContext
  private readonly localLock: Lock
  private readonly id: string
  private readonly timeoutMs: number
  constructor(app: AppContext, localLock: Lock, id: string, timeoutMs: number) {
    this.app = app
    this.localLock = localLock
    this.id = id
    this.timeoutMs = timeoutMs
  }

  async lock(signal: AbortSignal, cancel: () => void | Promise<void>): Promise<void> {
    await this.localLock.lock(signal, cancel)
    try {
      const end = performance.now() + this.timeoutMs
      while (!(await this.renewLease())) {
        if (signal.aborted || performance.now() > end) throw createUnavailableProblem(5)
        await wait(intervals.retryMs)
      }
    } catch (error) {
      await this.localLock.unlock()
      throw error
    }
    this.heartbeat = setInterval(() => {
      this.renewLease().then(
        (isHeld) => (isHeld ? undefined : cancel()),
        (error: unknown) =>
          this.app.log.warn(
            { event: 'upload_lease_renewal_failed', err: error },
            'could not renew the lease of an upload',
          ),
      )
    }, intervals.heartbeatMs)
  }

  async unlock(): Promise<void> {
    clearInterval(this.heartbeat)
    await this.localLock.unlock()
    await writeAsSystem(this.app, (db) => releaseLease(db, this.id, this.lease)).catch((error: unknown) =>
      this.app.log.warn(
        { event: 'upload_lease_release_failed', err: error },
        'could not release the lease of an upload; it expires by itself',
      ),
    )
  }

  private renewLease(): Promise<boolean> {
    const now = this.app.clock()
    return writeAsSystem(this.app, (db) =>
      acquireLease(db, { id: this.id, lease: this.lease, now, until: now + intervals.leaseMs }),
    )
  }
}
