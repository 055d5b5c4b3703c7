import type { JobProgress } from '#server/use-cases/job-requests.ts'

const reportIntervalMs = 1000
const [startPercent, endPercent] = [5, 90]
/** Number of bytes after which the progress is at half, if the total is unknown. */
const halfwayBytes = 20_000_000

export function createProgressReporter(report: (percent: number, info?: JobProgress['info']) => Promise<void>) {
  let lastReportAt = 0
  return (movedBytes: number, expectedBytes: number | null): void => {
    const now = performance.now()
    if (now - lastReportAt < reportIntervalMs) return
    lastReportAt = now
    const fraction = expectedBytes ? Math.min(1, movedBytes / expectedBytes) : movedBytes / (movedBytes + halfwayBytes)
    const message = `${(movedBytes / 1_000_000).toFixed(1)} MB`
    report(startPercent + (endPercent - startPercent) * fraction, { name: '', message }).catch(() => undefined)
  }
}
