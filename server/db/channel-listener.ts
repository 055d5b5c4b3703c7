/** Listens for notifications on a connection of its own, checks that the connection works, and opens it again after an error. */
import { setTimeout as wait } from 'node:timers/promises'
import { escapeIdentifier } from 'pg'
import type { Logger } from 'pino'
import { Announcements } from '#server/db/announcements.ts'
import { connectToServer } from '#server/db/postgres/connect.ts'
import type { ServerClient } from '#server/db/postgres/server-client.ts'
import type { ServerTarget } from '#server/config/postgres-target.ts'

/** Times in ms: between two checks of the connection, for the response to one, and between two attempts to open it. */
export const listenTimingsMs = { check: 20_000, response: 5000, retry: 1000 }

export interface ChannelListener {
  listen(channel: string, listener: (message: string) => void, onMissed?: () => void): () => void
  close(): Promise<void>
}

export function createChannelListener(target: ServerTarget, log: Logger, timingsMs = listenTimingsMs): ChannelListener {
  const announcements = new Announcements()
  const channels = new Set<string>()
  const closeController = new AbortController()
  const { signal } = closeController
  let client: ServerClient | null = null
  let wasConnected = false
  let lastQuery: Promise<unknown> = Promise.resolve()

  /** Sends one statement after the other, because a connection executes only one at a time. */
  function query(usedClient: ServerClient, statement: string): Promise<unknown> {
    const result = lastQuery.then(() => usedClient.query(statement))
    lastQuery = result.catch(() => undefined)
    return result
  }

  async function connect(): Promise<void> {
    while (!signal.aborted) {
      try {
        await useConnection(
          await connectToServer(target, { connectMs: timingsMs.response, queryMs: timingsMs.response }),
        )
      } catch (error) {
        target.isUncertain = target.canChange
        if (!signal.aborted)
          log.warn(
            { event: 'notification_listener_failed', err: error },
            'could not listen for database notifications; retrying',
          )
      }
      await wait(timingsMs.retry, undefined, { signal, ref: false }).catch(() => undefined)
    }
  }

  /** Uses the connection until it ends or `close` is called. Throws if it does not respond. */
  async function useConnection(newClient: ServerClient): Promise<void> {
    const endController = new AbortController()
    newClient.on('end', () => endController.abort())
    newClient.on('notification', ({ channel, payload }) => announcements.notify(channel, payload ?? ''))
    const waitForCheck = () =>
      wait(timingsMs.check, true, { signal: endController.signal, ref: false }).catch(() => false)
    try {
      // `close` may have been called while the connection was being opened.
      if (signal.aborted) return
      // From here on, `listen` adds its channels itself.
      client = newClient
      lastQuery = Promise.resolve()
      for (const channel of channels) await query(newClient, `listen ${escapeIdentifier(channel)}`)
      if (wasConnected) announcements.notifyMissed()
      wasConnected = true
      while (await waitForCheck()) await query(newClient, 'select 1')
    } finally {
      client = null
      // `end` would wait for a server that does not respond.
      newClient.connection.stream.destroy()
    }
  }
  let connectionPromise: Promise<void> | null = null

  return {
    listen(channel, listener, onMissed) {
      const isNew = !channels.has(channel)
      channels.add(channel)
      if (!connectionPromise) connectionPromise = connect()
      else if (isNew && client) void query(client, `listen ${escapeIdentifier(channel)}`).catch(() => undefined)
      return announcements.subscribe(channel, listener, onMissed)
    },
    async close() {
      closeController.abort()
      if (!client) return
      client.connection.stream.destroy()
      await connectionPromise
    },
  }
}
