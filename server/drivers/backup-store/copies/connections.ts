import type { Pool, PoolClient } from 'pg'
import type { CopyConnections } from '#server/drivers/backup-store/copies/session.ts'

/** Limits of the pool: one connection to write a copy, and one to read another copy at the same time. `connectMs` is in ms. */
export const copyPoolLimits = { max: 2, connectMs: 15_000 }

export function createServerConnections(pool: Pick<Pool, 'connect' | 'end'>): CopyConnections {
  return {
    name: 'postgres',
    acquire: () => pool.connect(),
    hasRoom: async () => true,
    close: () => pool.end(),
  }
}

export interface CopyEngine {
  pool: Pick<Pool, 'connect'>
  close(): Promise<void>
}

/** Time in ms after which an idle engine is stopped, because it takes half a gigabyte. It is started again when needed. */
const defaultIdleMs = 60_000

/** Provides one connection at a time, and starts the engine only while it is needed. */
export function createEngineConnections(
  start: () => Promise<CopyEngine>,
  hasRoom: () => Promise<boolean>,
  { restMs: idleMs = defaultIdleMs } = {},
): CopyConnections {
  let engine: Promise<CopyEngine> | null = null
  let lastTurn: Promise<void> = Promise.resolve()
  let idleTimer: NodeJS.Timeout | undefined
  const stopEngine = async () => {
    const runningEngine = engine
    engine = null
    await (await runningEngine)?.close()
  }
  /** Waits until the connection is free. The next caller waits until the returned function is called. */
  async function waitForTurn(): Promise<() => void> {
    const previousTurn = lastTurn
    const { promise, resolve } = Promise.withResolvers<void>()
    lastTurn = previousTurn.then(() => promise)
    await previousTurn
    clearTimeout(idleTimer)
    return resolve
  }
  async function openConnection(): Promise<PoolClient> {
    engine ??= start()
    try {
      return await (await engine).pool.connect()
    } catch (error) {
      await stopEngine().catch(() => undefined)
      throw error
    }
  }
  async function closeEngine(): Promise<void> {
    const releaseTurn = await waitForTurn()
    try {
      await stopEngine()
    } finally {
      releaseTurn()
    }
  }
  return {
    name: 'embedded',
    async acquire() {
      const releaseTurn = await waitForTurn()
      const client = await openConnection().catch((error: unknown) => {
        releaseTurn()
        throw error
      })
      const release = client.release.bind(client)
      client.release = (error) => {
        client.release = release
        release(error)
        releaseTurn()
        idleTimer = setTimeout(() => void closeEngine().catch(() => undefined), idleMs).unref()
      }
      return client
    },
    hasRoom,
    close: closeEngine,
  }
}
