/** Connections to the database of the copies: a server of its own, or an engine of this process. */
import { Pool, type PoolClient } from 'pg'
import type { CopyConnections } from '#server/drivers/backup-store/copies/session.ts'

/** A copy and what reads one, beside each other. */
const maxConnections = 2
const connectTimeoutMs = 15_000

/** `onError` hears of connections that were lost while nobody used them. */
export function createServerConnections(url: string, onError: (error: Error) => void): CopyConnections {
  const pool = new Pool({
    connectionString: url,
    max: maxConnections,
    connectionTimeoutMillis: connectTimeoutMs,
    application_name: 'portal-copies',
    keepAlive: true,
  })
  pool.on('error', onError)
  // Of one in use: the statement that waits on it fails with the error, but an event that nobody hears ends the process.
  pool.on('connect', (client) => client.on('error', () => undefined))
  return {
    name: 'postgres',
    acquire: () => pool.connect(),
    hasRoom: async () => true,
    close: () => pool.end(),
  }
}

/** What `startEngine` of the embedded database gives. */
export interface CopyEngine {
  pool: Pick<Pool, 'connect'>
  close(): Promise<void>
}

/** It takes half a gigabyte: after so long without work it is let go, and started again for the next one. */
const defaultIdleMs = 60_000

/** One connection, of an engine that is there while somebody needs it. */
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
  /** Waits until nobody else has it; answers how to let the next one in. */
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
