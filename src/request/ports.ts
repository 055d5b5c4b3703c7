/** Defines what a host (page, worker, test) provides to the request pipeline. All differences between hosts are in these ports. */
import type { Device } from '#local/storage/device.ts'

export interface LockPort {
  /**
   * Runs `action` under an exclusive lock of this name, over all pages and workers. Returns null if the lock was not free within `waitMs`.
   * `shouldSteal` takes it from any holder, `shouldTakeFromFrozen` after two seconds from a holder that does not respond.
   */
  hold<T>(
    name: string,
    options: { waitMs: number; shouldSteal?: boolean; shouldTakeFromFrozen?: boolean },
    action: () => Promise<T>,
  ): Promise<{ value: T } | null>
}

/** Access to the session's token: in the access cookie (D85) or, where cookies cannot be read, the last value from a response (K-13). */
export interface TokenAccess {
  /** `session` is the session whose token is needed. A cookie's token is returned even if it is another user's. */
  read(session: { userId: number } | null): Promise<string | null>
  /** Called after a sign-in or renewal. A host that reads the cookie need not store the value. */
  onRenewed(value: string): void
  forget(): Promise<void>
  /** Returns true for a value that was not read from a cookie. The browser may have a newer one in its cookie. */
  isRemembered?(value: string): boolean
}

/** A small text outside the device's databases, so that it survives their deletion: a cookie of the pages. */
export interface UnsentCookie {
  read(): Promise<string | null>
  write(text: string): Promise<void>
}

export interface PipelinePorts {
  /** Sends to the server directly, never through a worker. Rejects if the connection fails. */
  network(request: Request): Promise<Response>
  origin: string
  build: string
  /** Epoch ms of this device's clock. */
  clock(): number
  wait(ms: number): Promise<void>
  /** 0 <= x < 1 */
  random(): number
  newId(): string
  locks: LockPort
  tokenAccess: TokenAccess
  device(): Promise<Device>
  /** Keeps the host alive until the promise settles (`waitUntil` in a worker). A rejection is reported by the port. */
  keepAlive(promise: Promise<unknown>): void
  /** Asks the browser to wake the worker when the connection is back, if it supports Background Sync. Otherwise writes are sent later. */
  requestWakeup(): void
  /** Stores the number of unsent writes by user. A host without it cannot detect that the database was lost. */
  unsentCookie?: UnsentCookie
  badge?(count: number): void
  /** Reports a bug to developers. No page shows it. */
  report(error: unknown): void
}

export type OptionalChunk = 'staff' | 'orders' | 'trail' | 'users' | 'pinyin'

export type WorkerMessage =
  | { type: 'drain'; immediate: boolean; accessToken: string | null }
  /** Activates a waiting worker. Workbox defines this type. */
  | { type: 'SKIP_WAITING' }
  | { type: 'forget' }
  /** Sent by a page that no worker controls, although a worker is active. */
  | { type: 'claim' }
  /** Sent if the signed-in user may open these optional pages, so their files must be cached too. */
  | { type: 'keep'; part: OptionalChunk }
  /** Sent while a long request runs. The worker polls for a few seconds, except what another page already polls. */
  | { type: 'watch'; immediate: boolean; accessToken: string | null }
  | { type: 'build' }

export type PageMessage =
  /** Sent if the server requires a newer build or turns the worker off. The page then checks for a new build. */
  | { type: 'look' }
  /** Sent when a push message has arrived. */
  | { type: 'notification' }
  /** Sent with a port when the user has clicked a push message. A page that opens the path (of a route, without `/saas`) responds. */
  | { type: 'open page'; path: string }
  /** Asks whether the page still runs. A worker that unregisters itself sends it, and reloads a page that does not respond. */
  | { type: 'alive?' }
