/** Tests a tablet that changes its user while a long request runs. The job belongs to its owner and is never lost (protocol 39). */
import { describe, expect, it } from 'vitest'
import { readActivity } from '#local/jobs/read-jobs.ts'
import { flushEventLoop } from '#tests/support/device/device.ts'
import { signInAs } from '#tests/support/device/app.ts'
import {
  startVerification,
  openUserDatabase,
  readJobs,
  describeLongRequests,
  readFirstJob,
  findPolls,
  verify,
} from '#tests/support/pages/long-requests.ts'
import { isNight } from '#tests/support/runner/nightly.ts'
import { createPacedJob } from '#tests/support/pages/paced-job.ts'

const { installation, countServerJobs, passTime } = describeLongRequests()

describe('Jobs and their owner', () => {
  it('A job pauses when its session ends, and its owner gets the result after signing in again', async () => {
    const tablet = await installation.signInTablet('admin@m18')
    const work = createPacedJob(installation.server, 1)
    const intent = await startVerification(tablet)
    await tablet.signOut()
    expect(await readActivity(tablet.device)).toEqual([])
    await work.step()
    await work.step()
    const previousPolls = findPolls(tablet).length
    await passTime(5000, tablet)
    expect(findPolls(tablet).length).toBe(previousPolls)
    await signInAs(tablet, 'admin@m18')
    await passTime(2000, tablet)
    expect(await readActivity(tablet.device)).toMatchObject([{ intent, state: 'done' }])
  })

  it('Another user of the device neither sees nor polls the job', async () => {
    const tablet = await installation.signInTablet('admin@m18')
    await startVerification(tablet)
    await tablet.signOut()
    await signInAs(tablet, 'user@m18')
    const previousPolls = findPolls(tablet).length
    await passTime(5000, tablet)
    expect(await readActivity(tablet.device)).toEqual([])
    expect(findPolls(tablet).length).toBe(previousPolls)
  })

  it("A job pauses, and does not fail as missing, if the cookie becomes another user's", async () => {
    const tablet = await installation.signInTablet('admin@m18')
    await startVerification(tablet)
    const db = await openUserDatabase(tablet)
    const otherTablet = await installation.signInTablet('user@m18')
    for (const [name, value] of otherTablet.cookies) tablet.cookies.set(name, value)
    await passTime(3000, tablet)
    expect(await db.jobs.toArray()).toMatchObject([{ state: 'running', problem: null }])
    expect(await readActivity(tablet.device)).toEqual([])
    await signInAs(tablet, 'admin@m18')
    await passTime(2000, tablet)
    expect(findPolls(tablet).at(-1)).toMatchObject({ status: 202 })
    expect(await readActivity(tablet.device)).toMatchObject([{ isOpen: true }])
  })

  it('A job whose start got no response is found again by its owner after a sign-out', async () => {
    const tablet = await installation.signInTablet('admin@m18')
    tablet.connection.state = 'answers lost'
    await verify(tablet)
    await tablet.signOut()
    tablet.connection.state = 'up'
    await signInAs(tablet, 'admin@m18')
    await passTime(2000, tablet)
    expect(await readFirstJob(tablet)).toMatchObject({ state: 'running' })
    expect(await countServerJobs()).toBe(1)
  })

  it("A job that is sent again during its user's sign-out is never lost (protocol 13, 39)", async () => {
    // By day only every third moment is tested, which includes moments with and without a connection.
    for (let moment = 0; moment < 30; moment += isNight ? 1 : 3) {
      await installation.server.reset()
      const tablet = await installation.signInTablet('admin@m18')
      tablet.connection.state = 'answers lost'
      const result = await verify(tablet)
      const intent = result.kind === 'problem' ? result.intent : ''
      if (moment % 2 === 0) tablet.connection.state = 'up'
      const repeatedVerification = verify(tablet, { intent, until: 'started' })
      await flushEventLoop(moment)
      const signingOut = tablet.signOut()
      for (let index = 0; index < 8; index++) await installation.clock.advance(1_000)
      await signingOut
      tablet.connection.state = 'up'
      await signInAs(tablet, 'admin@m18')
      await passTime(3000, tablet)
      expect({ moment, jobs: await readJobs(tablet) }).toMatchObject({
        moment,
        jobs: [{ intent, location: expect.any(String) }],
      })
      expect(await countServerJobs()).toBe(1)
      void repeatedVerification
    }
  })

  it('A sign-out removes the result from the device, and the owner finds it again', async () => {
    const tablet = await installation.signInTablet('admin@m18')
    const work = createPacedJob(installation.server, 1)
    await startVerification(tablet)
    await work.step()
    await work.step()
    await passTime(2000, tablet)
    const db = await openUserDatabase(tablet)
    expect(JSON.stringify(await db.jobs.toArray())).toContain('companies')
    await tablet.signOut()
    expect(JSON.stringify(await db.jobs.toArray())).not.toContain('compan')
    await signInAs(tablet, 'admin@m18')
    await passTime(2000, tablet)
    expect(await readFirstJob(tablet)).toMatchObject({ state: 'done', answer: { status: 200 } })
  })
})
