/** Tests that a write belongs to the user who is signed in when it is stored, not to the user of an earlier check (protocol 10, 29, 30). */
import { describe, expect, it } from 'vitest'
import { uploadAsset } from '#contract/accounts.ts'
import { listUsers, updateCompanyUser } from '#contract/users.ts'
import { markSignedOut, openSession } from '#local/session/session.ts'
import { createClock, createTablet } from '#tests/support/device/device.ts'
import { companyId } from '#tests/support/device/device-database.ts'
import { createScriptedServer } from '#tests/support/device/scripted-server.ts'

const changeInput = { params: { id: 2 }, body: { title: 1 as const } }
const firstSubject = { companyId, userId: 1 }
const secondSubject = { companyId, userId: 2 }

/** Opens a tablet on which user 1 has sent one write, so that the next write uses the remembered session. Then the connection ends. */
async function openTabletAfterOneWrite() {
  const clock = createClock()
  const server = createScriptedServer(clock)
  const tablet = createTablet((request) => server.transport(request), clock)
  await tablet.signIn('acme', 'user1@acme.example')
  await tablet.api.call(listUsers, { params: { companyId } })
  await tablet.api.call(updateCompanyUser, changeInput)
  await tablet.settle()
  tablet.connection.state = 'down'
  const readWaiting = (subject: typeof firstSubject) => tablet.device.getDatabase(subject).outbox.toArray()
  return { clock, tablet, readWaiting }
}

describe('a write after another tab changed the session', () => {
  it('is not stored if that tab signed out', async () => {
    const { tablet, readWaiting } = await openTabletAfterOneWrite()
    await markSignedOut(tablet.device)
    const result = await tablet.api.call(updateCompanyUser, changeInput)
    expect(result).toMatchObject({ kind: 'problem', problem: { code: 'SIGNED_OUT' } })
    expect(await readWaiting(firstSubject)).toEqual([])
  })

  it('belongs to the new user if that tab signed in somebody else', async () => {
    const { tablet, readWaiting } = await openTabletAfterOneWrite()
    await markSignedOut(tablet.device)
    await openSession(tablet.device, secondSubject)
    expect((await tablet.api.call(updateCompanyUser, changeInput)).kind).toBe('queued')
    expect(await readWaiting(firstSubject)).toEqual([])
    expect(await readWaiting(secondSubject)).toMatchObject([{ forUser: `${companyId}:2` }])
  })

  it('belongs to the same user if that tab signed them in again', async () => {
    const { tablet, readWaiting } = await openTabletAfterOneWrite()
    await markSignedOut(tablet.device)
    await openSession(tablet.device, firstSubject)
    expect((await tablet.api.call(updateCompanyUser, changeInput)).kind).toBe('queued')
    expect(await readWaiting(firstSubject)).toHaveLength(1)
  })
})

it('A write is not stored while the data of its user is being deleted', async () => {
  const { tablet, readWaiting } = await openTabletAfterOneWrite()
  const db = tablet.device.getDatabase(firstSubject)
  // This is the first step of deleting the user's data. The session may have been read just before.
  await db.meta.put({ name: 'session-generation', open: false, generation: 9 })
  expect(await tablet.api.call(updateCompanyUser, changeInput)).toMatchObject({ problem: { code: 'SIGNED_OUT' } })
  expect(await readWaiting(firstSubject)).toEqual([])
})

it('A file is not stored after the session expired (W-06)', async () => {
  const { clock, tablet, readWaiting } = await openTabletAfterOneWrite()
  const sessionEnd = (await tablet.session())?.until
  await clock.advance((sessionEnd ?? 0) - clock.now() + 1)
  const body = { file: new File(['picture'], 'me.png', { type: 'image/png' }), purpose: 'avatar' }
  const result = await tablet.api.call(uploadAsset, { body } as never)
  expect(result).toMatchObject({ problem: { code: 'SESSION_LAPSED' } })
  expect(await readWaiting(firstSubject)).toEqual([])
})
