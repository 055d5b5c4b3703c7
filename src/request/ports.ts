/** What a host (page, worker, test) lends to the request pipeline. Everything that differs between hosts is in here. */
import type { Device } from '#local/storage/device.ts'

export interface LockPort {
  /**
   * Runs `action` alone under this name, over all pages and workers. Null: it was not to be had within `waitMs`.
   * `shouldSteal` takes it from whoever holds it, `shouldTakeFromFrozen` after two seconds from a holder that does not answer.
   */
  hold<T>(
    name: string,
    options: { waitMs: number; shouldSteal?: boolean; shouldTakeFromFrozen?: boolean },
    action: () => Promise<T>,
  ): Promise<{ value: T } | null>
}

/** The access cookie (D85), or, where no cookie can be read, the last value an answer gave (K-13). */
export interface TokenAccess {
  /** `session`: whose token is wanted. A cookie is returned whoever it belongs to. */
  read(session: { userId: number } | null): Promise<string | null>
  /** Told after a sign-in or renewal; a host that reads the cookie need not keep it. */
  onRenewed(value: string): void
  forget(): Promise<void>
  /** True for a value that is no cookie's: the session may have newer ones. */
  isRemembered?(value: string): boolean
}

/** A small text outside of the device's databases: a cookie of the pages, which no database takes along when it goes. */
export interface UnsentCookie {
  read(): Promise<string | null>
  write(text: string): Promise<void>
}

export interface PipelinePorts {
  /** Straight to the server, never through a worker. Rejects when the line fails. */
  network(request: Request): Promise<Response>
  /** Scheme, host and port of the server. */
  origin: string
  build: string
  /** Epoch ms by this device's clock. */
  clock(): number
  wait(ms: number): Promise<void>
  /** 0 <= x < 1 */
  random(): number
  newId(): string
  locks: LockPort
  tokenAccess: TokenAccess
  device(): Promise<Device>
  /** Keeps the host alive until it is done (`waitUntil` in a worker). Failures end here. */
  keepAlive(promise: Promise<unknown>): void
  /** Asks the browser for a wake-up when the line is back, where it can (Background Sync). Only an accelerator. */
  requestWakeup(): void
  /** How many writes wait, by user; without it the loss of a database is not noticed. */
  unsentCookie?: UnsentCookie
  /** Shows on the app's icon how many writes wait, where there is an icon. */
  badge?(count: number): void
  /** A mistake of ours: told to whoever looks, and to nobody's screen. */
  report(error: unknown): void
}

/** What not every device stores. */
export type OptionalChunk = 'staff' | 'orders' | 'trail' | 'users'

/** What pages tell the worker. */
export type WorkerMessage =
  | { type: 'drain'; immediate: boolean; accessToken: string | null }
  /** Take over from the worker before; the type is Workbox's. */
  | { type: 'SKIP_WAITING' }
  /** Nobody is signed in any more, or somebody else is. */
  | { type: 'forget' }
  /** This page has no worker, though there is one. */
  | { type: 'claim' }
  /** Somebody is here who needs these pages: keep their files too. */
  | { type: 'keep'; part: OptionalChunk }
  /** Something long runs: ask about it for a few seconds, if nobody does. */
  | { type: 'watch'; immediate: boolean; accessToken: string | null }
  /** Say which build you are, on the port that comes with it. */
  | { type: 'build' }

/** What the worker tells pages. */
export type PageMessage =
  /** The server said something about builds: ask it what. */
  | { type: 'look' }
  /** Asked by a worker that takes itself away: a page that does not say so is loaded again. */
  | { type: 'alive?' }
