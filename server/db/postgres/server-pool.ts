/** Pool of connections to a server. Removes connections that do not respond, and follows the writable host after a failover. */
import { Pool, type PoolClient, type PoolConfig } from 'pg'
import { connectToServer, getReason, requireUsable } from '#server/db/postgres/connect.ts'
import { ServerClient, ServerConnectionError } from '#server/db/postgres/server-client.ts'
import type { ServerTarget } from '#server/config/postgres-target.ts'
import { silenceTimings, watchSilence } from '#server/db/postgres/silence-watch.ts'
import { typeParsers } from '#server/db/postgres/type-parsers.ts'

export interface ServerPoolOptions {
  max: number
  /** Limit in ms for opening a connection, and for waiting until one is free. */
  connectMs: number
  /** Maximum time in ms for the response to a query. Null for no limit. */
  maxQueryMs: number | null
  silence?: typeof silenceTimings
}

/** Called for what an operator should know. */
export interface ServerPoolReports {
  /** An idle connection was lost. */
  onLost(error: Error): void
  /** The server does not respond, so its connections were closed. */
  onSilent(connectionCount: number): void
  /** No connection could be opened. Called at most every 10 s. */
  onUnavailable(error: unknown): void
}

/** A failed attempt that took longer than this is not repeated with another host, because the caller has waited long enough. In ms. */
const quickFailureMs = 1000
/** Minimum time in ms between two reports of failed connections. */
const failureReportMs = 10_000

type ConnectCallback = (
  error: Error | undefined,
  client: PoolClient | undefined,
  done: (release?: unknown) => void,
) => void

export class ServerPool extends Pool {
  readonly #target: ServerTarget
  readonly #reports: ServerPoolReports
  readonly #connectMs: number
  readonly #stopWatch: () => void
  readonly #clients = new Set<ServerClient>()
  #generation = 0
  #locatePromise: Promise<void> | null = null
  #failureReportedAt = Number.NEGATIVE_INFINITY

  constructor(
    target: ServerTarget,
    { max, connectMs, maxQueryMs, silence = silenceTimings }: ServerPoolOptions,
    reports: ServerPoolReports,
  ) {
    super({
      max,
      connectionTimeoutMillis: connectMs,
      types: typeParsers,
      Client: createClientClass(target),
      // The driver's pool awaits this function, and does not use the connection if it throws.
      onConnect: (client) => requireUsable(target, client) as unknown as void,
    })
    this.#target = target
    this.#reports = reports
    this.#connectMs = connectMs
    this.on('connect', (client) => this.#addClient(client as unknown as ServerClient))
    // Handles errors of idle connections. Connections of a silent server were closed by `#removeSilent`.
    this.on('error', (error) => {
      if (!(error instanceof ServerConnectionError)) reports.onLost(error)
    })
    this.#stopWatch = watchSilence(this.#clients, {
      target,
      maxQueryMs,
      timings: silence,
      onSilent: (clients) => this.#removeSilent(clients),
    })
  }

  override connect(): Promise<PoolClient>
  override connect(callback: ConnectCallback): void
  override connect(callback?: ConnectCallback): Promise<PoolClient> | undefined {
    if (!callback) return this.#acquire()
    void this.#passConnection(callback)
    return undefined
  }

  override end(): Promise<void>
  override end(callback: () => void): void
  override end(callback?: () => void): Promise<void> | undefined {
    this.#stopWatch()
    if (!callback) return super.end()
    super.end(callback)
    return undefined
  }

  /** Uses no existing connection for further transactions, for example because the server accepts no writes any more. */
  discardConnections(): void {
    this.#generation += 1
    this.#target.isUncertain = this.#target.canChange
  }

  async #passConnection(callback: ConnectCallback): Promise<void> {
    let client: PoolClient
    try {
      client = await this.#acquire()
    } catch (error) {
      callback(error as Error, undefined, () => undefined)
      return
    }
    callback(undefined, client, (error) => client.release(error as Error | undefined))
  }

  /** Returns a connection of the current generation. Closes older ones that were idle. */
  async #acquire(): Promise<PoolClient> {
    for (let isRepeated = false; ; isRepeated = true) {
      const startedAt = performance.now()
      try {
        if (this.#target.isUncertain) await (this.#locatePromise ??= this.#locate())
        return await this.#takeCurrent()
      } catch (error) {
        this.#target.isUncertain = this.#target.canChange
        if (!isRepeated && this.#target.canChange && performance.now() - startedAt < quickFailureMs) continue
        this.#reportFailure(error)
        throw error instanceof ServerConnectionError
          ? error
          : new ServerConnectionError(getReason(error), { cause: error })
      }
    }
  }

  async #takeCurrent(): Promise<PoolClient> {
    for (;;) {
      const client = await super.connect()
      if ((client as unknown as ServerClient).generation === this.#generation) return client
      client.release(true)
    }
  }

  async #locate(): Promise<void> {
    try {
      const client = await connectToServer(this.#target, { connectMs: this.#connectMs, queryMs: this.#connectMs })
      void client.end().catch(() => undefined)
    } finally {
      this.#locatePromise = null
    }
  }

  #addClient(client: ServerClient): void {
    client.generation = this.#generation
    this.#clients.add(client)
    client.once('end', () => this.#clients.delete(client))
    // Handles errors of connections in use. The running statement fails with the error, but an unhandled error event would end the process.
    client.on('error', () => undefined)
  }

  #removeSilent(clients: readonly ServerClient[]): void {
    this.#reports.onSilent(clients.length)
    this.discardConnections()
    for (const client of clients) client.destroy('does not respond')
  }

  #reportFailure(error: unknown): void {
    const now = performance.now()
    if (this.ending || now - this.#failureReportedAt < failureReportMs) return
    this.#failureReportedAt = now
    this.#reports.onUnavailable(error)
  }
}

/** Returns a class whose clients connect to the host that is the current one when the pool creates them. */
function createClientClass(target: ServerTarget): NonNullable<PoolConfig['Client']> {
  class CurrentHostClient extends ServerClient {
    constructor(options?: PoolConfig) {
      const host = target.currentHost
      super({ ...target.createConfig(host), ...(options?.types ? { types: options.types } : {}) }, host)
    }
  }
  return CurrentHostClient
}
