import { Client, type ClientConfig } from 'pg'
import { describePostgresHost } from '#server/config/postgres-address.ts'
import type { ServerHost } from '#server/config/postgres-target.ts'

/** Error of a connection to the server. `code` is an SQLSTATE of class 08, so callers respond with 503. */
export class ServerConnectionError extends Error {
  readonly code = '08006'
}

/** A client that knows its host and whether a query waits for its response. */
export class ServerClient extends Client {
  readonly serverHost: ServerHost
  /** Number of times at which all queries had their responses. */
  responseCount = 0
  /** Generation of the pool in which the client was created. */
  generation = 0

  constructor(config: ClientConfig, serverHost: ServerHost) {
    super(config)
    this.serverHost = serverHost
    this.on('drain', () => {
      this.responseCount += 1
    })
  }

  get isWaiting(): boolean {
    // A field of the driver: true when the server is ready for the next query, and undefined before the connection is open.
    return (this as unknown as { readyForQuery?: boolean }).readyForQuery === false
  }

  /** Closes the connection at once. Queries that wait fail with the error. */
  destroy(reason: string): void {
    this.connection.stream.destroy(
      new ServerConnectionError(`The database at ${describePostgresHost(this.serverHost)} ${reason}`),
    )
  }
}
