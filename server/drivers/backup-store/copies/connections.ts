/** Connections to the database of the copies: a server of its own, or an engine of this process. */
import { Pool, type PoolClient } from 'pg'
import type { Connections } from '#server/drivers/backup-store/copies/session.ts'

/** A copy and what reads one, beside each other. */
const maxConnections = 2
const patienceMs = 15_000

/** `failed` hears of connections that were lost while nobody used them. */
export function serverConnections(url: string, failed: (error: Error) => void): Connections {
  const pool = new Pool({
    connectionString: url,
    max: maxConnections,
    connectionTimeoutMillis: patienceMs,
    application_name: 'portal-copies',
    keepAlive: true,
  })
  pool.on('error', failed)
  // Of one in use: the statement that waits on it fails with the error, but an event that nobody hears ends the process.
  pool.on('connect', (client) => client.on('error', () => undefined))
  return {
    name: 'postgres',
    take: () => pool.connect(),
    hasRoom: async () => true,
    close: () => pool.end(),
  }
}

/** What `startEngine` of the embedded database gives. */
export interface EngineOfCopies {
  pool: Pick<Pool, 'connect'>
  close(): Promise<void>
}

/** It takes half a gigabyte: after so long without work it is let go, and started again for the next one. */
const idleMs = 60_000

/** One connection, of an engine that is there while somebody needs it. */
export function engineConnections(
  start: () => Promise<EngineOfCopies>,
  hasRoom: () => Promise<boolean>,
  { restMs = idleMs } = {},
): Connections {
  let engine: Promise<EngineOfCopies> | null = null
  let turn: Promise<void> = Promise.resolve()
  let rest: NodeJS.Timeout | undefined
  const stop = async () => {
    const running = engine
    engine = null
    await (await running)?.close()
  }
  /** Waits until nobody else has it; answers how to let the next one in. */
  async function enter(): Promise<() => void> {
    const before = turn
    const { promise, resolve } = Promise.withResolvers<void>()
    turn = before.then(() => promise)
    await before
    clearTimeout(rest)
    return resolve
  }
  async function opened(): Promise<PoolClient> {
    engine ??= start()
    try {
      return await (await engine).pool.connect()
    } catch (error) {
      await stop().catch(() => undefined)
      throw error
    }
  }
  async function letGo(): Promise<void> {
    const leave = await enter()
    try {
      await stop()
    } finally {
      leave()
    }
  }
  return {
    name: 'embedded',
    async take() {
      const leave = await enter()
      const client = await opened().catch((error: unknown) => {
        leave()
        throw error
      })
      const release = client.release.bind(client)
      client.release = (error) => {
        client.release = release
        release(error)
        leave()
        rest = setTimeout(() => void letGo().catch(() => undefined), restMs).unref()
      }
      return client
    },
    hasRoom,
    close: letGo,
  }
}
