/**
 * Builds of the client have an order: `{number}-{sources}`, the number rising from build to build. Page, worker and server
 * compare them; what bears no number (development, tests) is of no age and never too old.
 */

export const getBuildNumber = (build: string): number => Number(/^(\d{1,15})-/.exec(build)?.[1] ?? 0)

/** When it was built, epoch ms; null: its number is none of a moment (yyyymmddhhmmss, UTC). */
export function getBuildTime(build: string): number | null {
  const parts = /^(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)-/.exec(build)?.slice(1).map(Number)
  if (!parts) return null
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = parts
  return Date.UTC(year, month - 1, day, hour, minute, second)
}

/** `minimum` 0: none is asked for. */
export const isOlderBuild = (build: string, minimum: number): boolean =>
  getBuildNumber(build) > 0 && getBuildNumber(build) < minimum

/** On the server's answers, where there is something to say. */
export const buildHeaders = {
  /** The least number that is still served well. */
  minimum: 'x-minimum-build',
  /** `bypass`: no worker shall stand between pages and server. */
  worker: 'x-worker',
} as const

/** Where a page asks what the server says of builds, worker or not: never kept, never taken by a worker. */
export const buildInfoPath = '/saas/worker.json'

export interface BuildInfo {
  /** The one that is served now. */
  build: string
  minimumBuild: number
  bypass: boolean
  /** Mail address of who answers questions, of visitors too. */
  support: string
}
