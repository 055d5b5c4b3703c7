import { describe, expect, it } from 'vitest'
import { getUser } from '#contract/accounts.ts'
import { listUsers } from '#contract/users.ts'
import { createWorkerAccess } from '#request/session/worker-access.ts'
import { createClock, createTablet } from '#tests/support/device/device.ts'
import { company } from '#tests/support/device/device-database.ts'
import { createScripted } from '#tests/support/device/scripted.ts'

const users = { params: { companyId: company } }
const blind = { read: async () => null, delete: async () => undefined }

/** Somebody signs in in a page, and then a worker that sees no cookies works for them. */
async function blindWorker() {
  const clock = createClock()
  const server = createScripted(clock)
  const tablet = createTablet((sent) => server.answer(sent), clock)
  await tablet.signIn('acme', 'user1@acme.example')
  await tablet.rest()
  const page = tablet.ports.access
  const worker = createWorkerAccess(blind)
  const asWorker = () => void (tablet.ports.access = worker)
  const asPage = () => void (tablet.ports.access = page)
  asWorker()
  return { clock, server, tablet, worker, page, asWorker, asPage }
}

describe('a worker that sees no cookies (Firefox)', () => {
  it('fault 40a renews no token while the last one is good', async () => {
    const { server, tablet } = await blindWorker()
    for (let call = 0; call < 10; call++) expect((await tablet.api.call(listUsers, users)).kind).toBe('fresh')
    expect(server.renewals).toBe(1)
  })

  it('fault 40b renews none at all when a page names its token', async () => {
    const { server, tablet, worker, page } = await blindWorker()
    worker.renewed((await page.read(null)) ?? '')
    expect((await tablet.api.call(listUsers, users)).kind).toBe('fresh')
    expect(server.renewals).toBe(0)
  })

  it('fault 40c renews once when the token has expired', async () => {
    const { clock, server, tablet, worker, page } = await blindWorker()
    worker.renewed((await page.read(null)) ?? '')
    await clock.turn(601_000)
    for (let call = 0; call < 3; call++) expect((await tablet.api.call(listUsers, users)).kind).toBe('fresh')
    expect(server.renewals).toBe(1)
  })

  it('fault 40d never sends the token of somebody who was here before', async () => {
    const { server, tablet, worker, page, asPage, asWorker } = await blindWorker()
    worker.renewed((await page.read(null)) ?? '')
    asPage()
    await tablet.signOut()
    await tablet.signIn('acme', 'user2@acme.example')
    asWorker()
    const before = tablet.line.log.length
    expect(await tablet.api.call(getUser, {})).toMatchObject({ kind: 'fresh', output: { id: 2 } })
    const bearers = tablet.line.log.slice(before).map(({ sent }) => sent.headers['authorization'] ?? '')
    expect(bearers.filter((bearer) => bearer.startsWith('Bearer 1.'))).toEqual([])
    expect(server.renewals).toBe(1)
    expect(await tablet.session()).toMatchObject({ userId: 2, signedOut: false })
  })

  it('fault 40e renews before it believes that the session is over, when its token is older than the session', async () => {
    const { tablet, worker, page, asPage, asWorker } = await blindWorker()
    worker.renewed((await page.read(null)) ?? '')
    asPage()
    await tablet.signOut()
    await tablet.signIn('acme', 'user1@acme.example')
    asWorker()
    expect((await tablet.api.call(listUsers, users)).kind).toBe('fresh')
    expect(await tablet.session()).toMatchObject({ userId: 1, signedOut: false })
  })

  it('fault 40f never sends the token of a session that was left', async () => {
    const { tablet, worker, page, asPage, asWorker } = await blindWorker()
    const token = (await page.read(null)) ?? ''
    worker.renewed(token)
    asPage()
    await tablet.signOut()
    asWorker()
    const before = tablet.line.log.length
    await tablet.api.call(getUser, {})
    const bearers = tablet.line.log.slice(before).map(({ sent }) => sent.headers['authorization'])
    expect(bearers).not.toContain(`Bearer ${token}`)
  })

  it('fault 40g a worker that sees cookies never uses a remembered token', async () => {
    let cookie: string | null = '1.aaaaaaaaaaaaaaaa'
    const access = createWorkerAccess({ read: async () => cookie, delete: async () => undefined })
    access.renewed('1.bbbbbbbbbbbbbbbb')
    expect(await access.read({ userId: 1 })).toBe(cookie)
    cookie = null
    expect(await access.read({ userId: 1 })).toBeNull()
    expect(access.isRemembered('1.bbbbbbbbbbbbbbbb')).toBe(false)
  })
})
