/** Sets up tests of long requests: one application per file, reset before each test, and functions that drive its pages. */
import { afterAll, beforeAll, beforeEach } from 'vitest'
import { verifyTrail } from '#contract/audit-trail.ts'
import type { PagePorts } from '#request/page/page-ports.ts'
import { watchOpenJobs } from '#request/jobs/job-poller.ts'
import { bypassPolicies } from '#tests/support/server/database.ts'
import { flushEventLoop, type Tablet } from '#tests/support/device/device.ts'
import { openInstallation, type Installation } from '#tests/support/device/app.ts'

export const verifyInput = { body: { companyId: null } }
export const verify = (tablet: Tablet, options = {}) => tablet.api.call(verifyTrail, verifyInput, options)

export async function startVerification(tablet: Tablet): Promise<string> {
  const result = await verify(tablet, { until: 'started' })
  if (result.kind !== 'started') throw new Error(`not started: ${JSON.stringify(result)}`)
  return result.jobId
}

export async function openUserDatabase(tablet: Tablet) {
  const session = await tablet.session()
  if (!session) throw new Error('nobody is signed in')
  return tablet.device.getDatabase(session)
}

export const readJobs = async (tablet: Tablet) => (await openUserDatabase(tablet)).jobs.toArray()
export const readFirstJob = async (tablet: Tablet) => (await readJobs(tablet))[0]
export const findStarts = ({ connection }: Tablet) =>
  connection.log.filter(({ request }) => request.path === verifyTrail.path)
export const findPolls = ({ connection }: Tablet) =>
  connection.log.filter(({ request }) => /^\/api\/request\/[^~]/.test(request.path))

/** Runs one poll of each page and all work that follows from it without waiting for a timer. */
export async function tick(...pages: { ports: PagePorts }[]): Promise<void> {
  await Promise.all(pages.map(({ ports }) => watchOpenJobs(ports, { forMs: 0 })))
  await flushEventLoop()
}

/** Opens further pages that share only storage and connection with the first one. */
export function openPages(tablet: Tablet, count: number): { ports: PagePorts }[] {
  return Array.from({ length: count }, () => {
    tablet.reopen()
    const { device } = tablet
    return { ports: { ...tablet.ports, device: async () => device } }
  })
}

export function describeLongRequests() {
  const installation = {} as Installation
  beforeAll(async () => void Object.assign(installation, await openInstallation()))
  beforeEach(async () => void (await installation.server.reset()))
  afterAll(() => installation.close())

  const countServerJobs = () =>
    bypassPolicies(
      installation.server.app.database,
      async (db) => (await db.selectFrom('job').select('id').execute()).length,
    )

  /** Polls every quarter of a second for `ms`, as several pages together do. */
  async function passTime(ms: number, ...pages: { ports: PagePorts }[]): Promise<void> {
    for (let elapsedMs = 0; elapsedMs < ms; elapsedMs += 250) {
      await tick(...pages)
      await installation.clock.advance(250)
    }
  }
  return { installation, countServerJobs, passTime }
}
