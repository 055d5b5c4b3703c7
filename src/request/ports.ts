/** What a host (page, worker, test) provides to the request pipeline. All differences between hosts are in these ports. */
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

/** Reads the access cookie (D85) or, where cookies cannot be read, the last value from a response (K-13). */
export interface TokenAccess {
  /** `session` is the session whose token is needed. A cookie is returned for any user. */
  read(session: { userId: number } | null): Promise<string | null>
  /** Called after a sign-in or renewal. A host that reads the cookie need not store the value. */
  onRenewed(value: string): void
  forget(): Promise<void>
  /** Returns true for a value that is not from a cookie: the session may have newer ones. */
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
  /** Keeps the host alive until the promise settles (`waitUntil` in a worker). Rejections are handled here. */
  keepAlive(promise: Promise<unknown>): void
  /** Asks the browser to wake the worker when the connection is back, where supported (Background Sync). Only makes sending faster. */
  requestWakeup(): void
  /** Number of waiting writes by user. Without it the loss of a database is not detected. */
  unsentCookie?: UnsentCookie
  badge?(count: number): void
  /** Reports a bug to developers. Not shown on any page. */
  report(error: unknown): void
}

export type OptionalChunk = 'staff' | 'orders' | 'trail' | 'users'

export type WorkerMessage =
  | { type: 'drain'; immediate: boolean; accessToken: string | null }
  /** Activates a waiting worker. The type is defined by Workbox. */
  | { type: 'SKIP_WAITING' }
  | { type: 'forget' }
  /** This page has no worker in control, although a worker is active. */
  | { type: 'claim' }
  /** A user with access to these pages is signed in, so their files must be cached too. */
  | { type: 'keep'; part: OptionalChunk }
  /** A long request is running: poll it for a few seconds unless another context does. */
  | { type: 'watch'; immediate: boolean; accessToken: string | null }
  | { type: 'build' }

export type PageMessage =
  /** The server mentioned another build: check for it. */
  | { type: 'look' }
  /** Sent by a worker that unregisters itself. A page that does not respond is reloaded. */
  | { type: 'alive?' }
