/** A tablet that changes hands while something long is under way: whose it is, and that it is never forgotten (protocol 39). */
import { describe, expect, it } from 'vitest'
import { readActivity } from '#local/jobs/read-jobs.ts'
import { breathe } from '#tests/support/device/device.ts'
import { comeIn } from '#tests/support/device/app.ts'
import { begun, dbOf, jobsOn, longRequests, only, polls, verify } from '#tests/support/pages/long-requests.ts'
import { isNight } from '#tests/support/runner/nightly.ts'
import { paced } from '#tests/support/pages/paced.ts'

const { app, jobsAtServer, pass } = longRequests()

describe('whose it is', () => {
  it('a session that ended pauses it; the same user, back again, gets the result', async () => {
    const tablet = await app.signedIn('admin@m18')
    const work = paced(app.server, 1)
    const intent = await begun(tablet)
    await tablet.signOut()
    expect(await readActivity(tablet.device)).toEqual([])
    await work.step()
    await work.step()
    const before = polls(tablet).length
    await pass(5000, tablet)
    expect(polls(tablet).length).toBe(before)
    await comeIn(tablet, 'admin@m18')
    await pass(2000, tablet)
    expect(await readActivity(tablet.device)).toMatchObject([{ intent, state: 'done' }])
  })

  it('another user of the tablet neither sees it nor asks about it', async () => {
    const tablet = await app.signedIn('admin@m18')
    await begun(tablet)
    await tablet.signOut()
    await comeIn(tablet, 'user@m18')
    const before = polls(tablet).length
    await pass(5000, tablet)
    expect(await readActivity(tablet.device)).toEqual([])
    expect(polls(tablet).length).toBe(before)
  })

  it('a cookie that became another’s under the page pauses it, and is not told as “there is nothing”', async () => {
    const tablet = await app.signedIn('admin@m18')
    await begun(tablet)
    const db = await dbOf(tablet)
    const other = await app.signedIn('user@m18')
    for (const [name, value] of other.cookies) tablet.cookies.set(name, value)
    await pass(3000, tablet)
    expect(await db.jobs.toArray()).toMatchObject([{ state: 'running', problem: null }])
    expect(await readActivity(tablet.device)).toEqual([])
    await comeIn(tablet, 'admin@m18')
    await pass(2000, tablet)
    expect(polls(tablet).at(-1)).toMatchObject({ status: 202 })
    expect(await readActivity(tablet.device)).toMatchObject([{ open: true }])
  })

  it('one whose start got no answer is found again by its owner after a sign-out', async () => {
    const tablet = await app.signedIn('admin@m18')
    tablet.line.state = 'answers lost'
    await verify(tablet)
    await tablet.signOut()
    tablet.line.state = 'up'
    await comeIn(tablet, 'admin@m18')
    await pass(2000, tablet)
    expect(await only(tablet)).toMatchObject({ state: 'running' })
    expect(await jobsAtServer()).toBe(1)
  })

  it('one that is sent again while its user signs out is never forgotten, whenever that falls (protocol 13, 39)', async () => {
    // Each third by day: moments with and without a line are among them.
    for (let moment = 0; moment < 30; moment += isNight ? 1 : 3) {
      await app.server.reset()
      const tablet = await app.signedIn('admin@m18')
      tablet.line.state = 'answers lost'
      const told = await verify(tablet)
      const intent = told.kind === 'problem' ? told.intent : ''
      if (moment % 2 === 0) tablet.line.state = 'up'
      const again = verify(tablet, { intent, until: 'started' })
      await breathe(moment)
      const leaving = tablet.signOut()
      for (let at = 0; at < 8; at++) await app.clock.turn(1_000)
      await leaving
      tablet.line.state = 'up'
      await comeIn(tablet, 'admin@m18')
      await pass(3000, tablet)
      expect({ moment, jobs: await jobsOn(tablet) }).toMatchObject({
        moment,
        jobs: [{ intent, location: expect.any(String) }],
      })
      expect(await jobsAtServer()).toBe(1)
      void again
    }
  })

  it('a sign-out takes the result from the device, and the owner finds it again', async () => {
    const tablet = await app.signedIn('admin@m18')
    const work = paced(app.server, 1)
    await begun(tablet)
    await work.step()
    await work.step()
    await pass(2000, tablet)
    const db = await dbOf(tablet)
    expect(JSON.stringify(await db.jobs.toArray())).toContain('companies')
    await tablet.signOut()
    expect(JSON.stringify(await db.jobs.toArray())).not.toContain('compan')
    await comeIn(tablet, 'admin@m18')
    await pass(2000, tablet)
    expect(await only(tablet)).toMatchObject({ state: 'done', answer: { status: 200 } })
  })
})
