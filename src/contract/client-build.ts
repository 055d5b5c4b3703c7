/**
 * Client builds are named `{number}-{sources}`, and the number grows from build to build. Page, worker and server compare these numbers. A
 * build without a number (development, tests) is never treated as too old.
 */

export const getBuildNumber = (build: string): number => Number(/^(\d{1,15})-/.exec(build)?.[1] ?? 0)

/** Build time in epoch ms. Returns null if the number is not a time (yyyymmddhhmmss, UTC). */
export function getBuildTime(build: string): number | null {
  const parts = /^(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)-/.exec(build)?.slice(1).map(Number)
  if (!parts) return null
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = parts
  return Date.UTC(year, month - 1, day, hour, minute, second)
}

/** A `minimum` of 0 means that no minimum is required. */
export const isOlderBuild = (build: string, minimum: number): boolean =>
  getBuildNumber(build) > 0 && getBuildNumber(build) < minimum

export const buildHeaders = {
  minimum: 'x-minimum-build',
  /** `bypass`: pages must not use the service worker. */
  worker: 'x-worker',
} as const

/** Path of the server's build information. The response is never cached or handled by a worker. */
export const buildInfoPath = '/saas/worker.json'

export interface BuildInfo {
  /** Build of the node that responds. */
  build: string
  /** Builds that any node serves now. Older servers do not send it. */
  builds?: string[]
  minimumBuild: number
  bypass: boolean
  support: string
}

/**
 * Whether a page or worker of `build` is to be replaced by the server's build: it is newer, or it is older and no node serves `build` any
 * more, because the upgrade was taken back. During a rolling upgrade a client that has the newer build keeps it.
 */
export const isReplacedBy = (build: string, info: Pick<BuildInfo, 'build' | 'builds'>): boolean =>
  info.build !== build && (getBuildNumber(info.build) >= getBuildNumber(build) || !(info.builds ?? []).includes(build))
