/** A write belongs to who is signed in when it is stored, not to who was when somebody last looked (protocol 10, 29, 30). */
import { describe, expect, it } from 'vitest'
import { uploadAsset } from '#contract/accounts.ts'
import { listUsers, updateCompanyUser } from '#contract/users.ts'
import { markSignedOut, openSession } from '#local/session/session.ts'
import { createClock, createTablet } from '#tests/support/device/device.ts'
import { company } from '#tests/support/device/device-database.ts'
import { createScripted } from '#tests/support/device/scripted.ts'

const rename = { params: { id: 2 }, body: { title: 1 as const } }
const first = { companyId: company, userId: 1 }
const second = { companyId: company, userId: 2 }

/** User 1 has written once, so that the next write need not ask who is here; then the line goes. */
async function afterOneWrite() {
  const clock = createClock()
  const server = createScripted(clock)
  const tablet = createTablet((sent) => server.answer(sent), clock)
  await tablet.signIn('acme', 'user1@acme.example')
  await tablet.api.call(listUsers, { params: { companyId: company } })
  await tablet.api.call(updateCompanyUser, rename)
  await tablet.rest()
  tablet.line.state = 'down'
  const waitingOf = (subject: typeof first) => tablet.device.of(subject).outbox.toArray()
  return { clock, tablet, waitingOf }
}

describe('another tab', () => {
  it('signed out: nothing is stored for who has gone', async () => {
    const { tablet, waitingOf } = await afterOneWrite()
    await markSignedOut(tablet.device)
    const said = await tablet.api.call(updateCompanyUser, rename)
    expect(said).toMatchObject({ kind: 'problem', problem: { code: 'SIGNED_OUT' } })
    expect(await waitingOf(first)).toEqual([])
  })

  it('signed somebody else in: the write is theirs', async () => {
    const { tablet, waitingOf } = await afterOneWrite()
    await markSignedOut(tablet.device)
    await openSession(tablet.device, second)
    expect((await tablet.api.call(updateCompanyUser, rename)).kind).toBe('queued')
    expect(await waitingOf(first)).toEqual([])
    expect(await waitingOf(second)).toMatchObject([{ forUser: `${company}:2` }])
  })

  it('signed the same user in again: the write is theirs as before', async () => {
    const { tablet, waitingOf } = await afterOneWrite()
    await markSignedOut(tablet.device)
    await openSession(tablet.device, first)
    expect((await tablet.api.call(updateCompanyUser, rename)).kind).toBe('queued')
    expect(await waitingOf(first)).toHaveLength(1)
  })
})

it('while somebody is going, before they are swept away, nothing of theirs is stored any more', async () => {
  const { tablet, waitingOf } = await afterOneWrite()
  const db = tablet.device.of(first)
  // What a sweep does first: the session may have been read an instant before.
  await db.meta.put({ name: 'session-generation', open: false, generation: 9 })
  expect(await tablet.api.call(updateCompanyUser, rename)).toMatchObject({ problem: { code: 'SIGNED_OUT' } })
  expect(await waitingOf(first)).toEqual([])
})

it('a file is no exception: of a session that has run out it is not taken (W-06)', async () => {
  const { clock, tablet, waitingOf } = await afterOneWrite()
  const until = (await tablet.session())?.until
  await clock.turn((until ?? 0) - clock.now() + 1)
  const body = { file: new File(['picture'], 'me.png', { type: 'image/png' }), purpose: 'avatar' }
  const said = await tablet.api.call(uploadAsset, { body } as never)
  expect(said).toMatchObject({ problem: { code: 'SESSION_LAPSED' } })
  expect(await waitingOf(first)).toEqual([])
})
