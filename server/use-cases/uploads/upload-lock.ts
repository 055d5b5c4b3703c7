/**
 * One at a time writes an upload's bytes. On one node a new request asks the one before to let go, which may hang on a dead line;
 * over all nodes a lease in the database holds them apart.
 */
import { randomUUID } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import { type Lock, type Locker, MemoryLocker } from '@tus/server'
import { freeLease, takeLease } from '#server/db/catalogue/app-uploads.ts'
import type { Handle } from '#server/db/handle.ts'
import { inTransaction } from '#server/db/transaction.ts'
import type { AppContext } from '#server/context/context.ts'
import { unavailable } from '#server/problems/problem-error.ts'

/** In ms. */
const pace = { lease: 10_000, heartbeat: 3_000, retry: 250, patience: 5_000 }

export class UploadLocker implements Locker {
  private readonly app: AppContext
  private readonly patience: number
  private readonly here: MemoryLocker
  constructor(app: AppContext, patience = pace.patience) {
    this.app = app
    this.patience = patience
    this.here = new MemoryLocker({ acquireLockTimeout: patience })
  }
  newLock(id: string): Lock {
    return new UploadLock(this.app, this.here.newLock(id), id, this.patience)
  }
}

class UploadLock implements Lock {
  private readonly lease = randomUUID()
  private beat: NodeJS.Timeout | undefined
  private readonly app: AppContext
  private readonly here: Lock
  private readonly id: string
  private readonly patience: number
  constructor(app: AppContext, here: Lock, id: string, patience: number) {
    this.app = app
    this.here = here
    this.id = id
    this.patience = patience
  }

  /** Throws UNAVAILABLE where another node goes on writing. */
  async lock(signal: AbortSignal, cancel: () => void | Promise<void>): Promise<void> {
    await this.here.lock(signal, cancel)
    try {
      const end = performance.now() + this.patience
      while (!(await this.take())) {
        if (signal.aborted || performance.now() > end) throw unavailable(5)
        await wait(pace.retry)
      }
    } catch (error) {
      await this.here.unlock()
      throw error
    }
    this.beat = setInterval(() => {
      this.take().then(
        (isHeld) => (isHeld ? undefined : cancel()),
        (error: unknown) => this.app.log.warn({ err: error }, 'the lease of an upload could not be kept'),
      )
    }, pace.heartbeat)
  }

  async unlock(): Promise<void> {
    clearInterval(this.beat)
    await this.here.unlock()
    await this.asSystem((db) => freeLease(db, this.id, this.lease)).catch((error: unknown) =>
      this.app.log.warn({ err: error }, 'the lease of an upload ends by itself'),
    )
  }

  private take(): Promise<boolean> {
    const now = this.app.clock()
    return this.asSystem((db) => takeLease(db, { id: this.id, lease: this.lease, now, until: now + pace.lease }))
  }
  private asSystem<T>(work: (db: Handle) => Promise<T>): Promise<T> {
    return inTransaction(this.app, { role: 'portal_system' }, work)
  }
}
