import { describe, expect, it } from 'vitest'
import { type Drawn, findDrawn, keepDrawn } from '#local/drawn.ts'
import { clearKept } from '#local/room.ts'
import { storeChanges } from '#local/rows.ts'
import { endSession, markSignedOut, openSession } from '#local/session.ts'
import { aUser, company, fills, type Kept, keptDevice } from '#tests/support/kept.ts'

const subject = { companyId: company, userId: 1 }
const now = 1_000
const address = '/saas/app/user?page=2'
const aView = (change: Partial<Drawn> = {}): Drawn => ({
  build: 'b1',
  address,
  language: 'en',
  theme: 'dark',
  sheets: [],
  html: '<main>Li Wei</main>',
  ...change,
})
const find = ({ device }: Kept, at = address, build = 'b1') => findDrawn(at, { build, now }, device)

async function kept(change?: Partial<Drawn>): Promise<Kept> {
  const made = await keptDevice()
  await keepDrawn(aView(change), subject, made.device)
  return made
}

describe('a list as it was last drawn', () => {
  it('is found at its address, by the build that drew it', async () => {
    const made = await kept()
    expect(await find(made)).toEqual(aView())
    expect(await find(made, '/saas/app/user')).toBeNull()
    expect(await find(made, '/saas/app/contract?page=2')).toBeNull()
    expect(await find(made, address, 'b2')).toBeNull()
  })

  it('is the last one of its path', async () => {
    const made = await kept()
    await keepDrawn(aView({ address: '/saas/app/user', html: 'first page' }), subject, made.device)
    expect(await find(made)).toBeNull()
    expect(await find(made, '/saas/app/user')).toMatchObject({ html: 'first page' })
  })

  it('is not kept where it is no picture of a list any more, but a book', async () => {
    expect(await find(await kept({ html: 'x'.repeat(400_001) }))).toBeNull()
  })

  it('goes with the sign-out, before the server knows of it', async () => {
    const made = await kept()
    await markSignedOut(made.device)
    expect(await find(made)).toBeNull()
    await openSession(made.device, subject)
    expect(await find(made)).toBeNull()
  })

  it('is nobody else’s, and what a page of somebody who has left still sends is not kept', async () => {
    const made = await kept()
    const other = { ...subject, userId: subject.userId + 1 }
    await openSession(made.device, other)
    expect(await find(made)).toBeNull()
    await keepDrawn(aView(), subject, made.device)
    await openSession(made.device, subject)
    expect(await find(made)).toBeNull()
  })

  it('is not shown when the session has run out or ended: then what stands there must say so', async () => {
    const lapsed = await kept()
    await lapsed.device.directory.session.update('now', { until: now - 1 })
    expect(await find(lapsed)).toBeNull()
    const ended = await kept()
    const session = await ended.device.directory.session.get('now')
    expect(await endSession(ended.device, session?.generation ?? -1)).toBe(true)
    expect(await find(ended)).toBeNull()
  })

  it('goes when a row is gone on the server, and when the device is cleared', async () => {
    const deleted = await kept()
    const { db, generation } = deleted
    const said = { gone: [], upto: 4, asOf: 100 }
    await storeChanges(db, fills, company, { ...said, changed: [aUser(1), aUser(2)] }, { all: true, generation })
    expect(await find(deleted)).not.toBeNull()
    const news = { changed: [], gone: [2], upto: 5, asOf: 200 }
    await storeChanges(db, fills, company, news, { all: false, generation })
    await expect.poll(() => find(deleted)).toBeNull()
    const cleared = await kept()
    await clearKept(cleared.device)
    expect(await find(cleared)).toBeNull()
  })
})
