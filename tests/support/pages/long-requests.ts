/** Tests of long requests: a house for one file, emptied before each test, and how its pages are driven. */
import { afterAll, beforeAll, beforeEach } from 'vitest'
import { verifyTrail } from '#contract/audit-trail.ts'
import type { PagePorts } from '#request/page/page-ports.ts'
import { watch } from '#request/jobs/job-poller.ts'
import { pastPolicies } from '#tests/support/server/database.ts'
import { breathe, type Tablet } from '#tests/support/device/device.ts'
import { openInstallation, type Installation } from '#tests/support/device/app.ts'

export const all = { body: { companyId: null } }
export const verify = (tablet: Tablet, asking = {}) => tablet.api.call(verifyTrail, all, asking)

export async function begun(tablet: Tablet): Promise<string> {
  const result = await verify(tablet, { until: 'started' })
  if (result.kind !== 'started') throw new Error(`not started: ${JSON.stringify(result)}`)
  return result.jobId
}

export async function dbOf(tablet: Tablet) {
  const session = await tablet.session()
  if (!session) throw new Error('nobody is signed in')
  return tablet.device.of(session)
}

export const jobsOn = async (tablet: Tablet) => (await dbOf(tablet)).jobs.toArray()
export const only = async (tablet: Tablet) => (await jobsOn(tablet))[0]
export const starts = ({ line }: Tablet) => line.log.filter(({ sent }) => sent.path === verifyTrail.path)
export const polls = ({ line }: Tablet) => line.log.filter(({ sent }) => /^\/api\/request\/[^~]/.test(sent.path))

/** What a page's tick does, once, and all that follows from it without time. */
export async function tick(...pages: { ports: PagePorts }[]): Promise<void> {
  await Promise.all(pages.map(({ ports }) => watch(ports, { forMs: 0 })))
  await breathe()
}

/** The same storage and line, in a page of its own: nothing else is shared. */
export function pagesOf(tablet: Tablet, count: number): { ports: PagePorts }[] {
  return Array.from({ length: count }, () => {
    tablet.reopen()
    const { device } = tablet
    return { ports: { ...tablet.ports, device: async () => device } }
  })
}

export function longRequests() {
  const app = {} as Installation
  beforeAll(async () => void Object.assign(app, await openInstallation()))
  beforeEach(async () => void (await app.server.reset()))
  afterAll(() => app.close())

  const jobsAtServer = () =>
    pastPolicies(app.server.app.database, async (db) => (await db.selectFrom('job').select('id').execute()).length)

  /** Ticks each quarter of a second, as several pages together do, for so long. */
  async function pass(ms: number, ...pages: { ports: PagePorts }[]): Promise<void> {
    for (let at = 0; at < ms; at += 250) {
      await tick(...pages)
      await app.clock.turn(250)
    }
  }
  return { app, jobsAtServer, pass }
}
