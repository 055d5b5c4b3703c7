import { describe, expect, it } from 'vitest'
import { getUser } from '#contract/accounts.ts'
import { listUsers } from '#contract/users.ts'
import { createWorkerAccess } from '#request/session/worker-access.ts'
import { createClock, createTablet } from '#tests/support/device/device.ts'
import { companyId } from '#tests/support/device/device-database.ts'
import { createScriptedServer } from '#tests/support/device/scripted-server.ts'

const usersInput = { params: { companyId } }
const blindCookies = { read: async () => null, delete: async () => undefined }

/** Signs in a user on a page, and opens a worker for this user that cannot read cookies. */
async function openBlindWorker() {
  const clock = createClock()
  const server = createScriptedServer(clock)
  const tablet = createTablet((request) => server.transport(request), clock)
  await tablet.signIn('acme', 'user1@acme.example')
  await tablet.settle()
  const page = tablet.ports.tokenAccess
  const worker = createWorkerAccess(blindCookies)
  const attachWorkerAccess = () => void (tablet.ports.tokenAccess = worker)
  const usePageAccess = () => void (tablet.ports.tokenAccess = page)
  attachWorkerAccess()
  return { clock, server, tablet, worker, page, attachWorkerAccess, usePageAccess }
}

describe('a worker that cannot read cookies (Firefox)', () => {
  it('renews no token while its last token is valid (fault 40a)', async () => {
    const { server, tablet } = await openBlindWorker()
    for (let call = 0; call < 10; call++) expect((await tablet.api.call(listUsers, usersInput)).kind).toBe('fresh')
    expect(server.renewals).toBe(1)
  })

  it('renews no token at all if a page passes a valid token (fault 40b)', async () => {
    const { server, tablet, worker, page } = await openBlindWorker()
    worker.onRenewed((await page.read(null)) ?? '')
    expect((await tablet.api.call(listUsers, usersInput)).kind).toBe('fresh')
    expect(server.renewals).toBe(0)
  })

  it('renews once when the token has expired (fault 40c)', async () => {
    const { clock, server, tablet, worker, page } = await openBlindWorker()
    worker.onRenewed((await page.read(null)) ?? '')
    await clock.advance(601_000)
    for (let call = 0; call < 3; call++) expect((await tablet.api.call(listUsers, usersInput)).kind).toBe('fresh')
    expect(server.renewals).toBe(1)
  })

  it('never sends the token of an earlier user (fault 40d)', async () => {
    const { server, tablet, worker, page, usePageAccess, attachWorkerAccess } = await openBlindWorker()
    worker.onRenewed((await page.read(null)) ?? '')
    usePageAccess()
    await tablet.signOut()
    await tablet.signIn('acme', 'user2@acme.example')
    attachWorkerAccess()
    const previousLength = tablet.connection.log.length
    expect(await tablet.api.call(getUser, {})).toMatchObject({ kind: 'fresh', output: { id: 2 } })
    const bearers = tablet.connection.log
      .slice(previousLength)
      .map(({ request }) => request.headers['authorization'] ?? '')
    expect(bearers.filter((bearer) => bearer.startsWith('Bearer 1.'))).toEqual([])
    expect(server.renewals).toBe(1)
    expect(await tablet.session()).toMatchObject({ userId: 2, signedOut: false })
  })

  it('renews before it accepts that the session is over, if its token is older than the session (fault 40e)', async () => {
    const { tablet, worker, page, usePageAccess, attachWorkerAccess } = await openBlindWorker()
    worker.onRenewed((await page.read(null)) ?? '')
    usePageAccess()
    await tablet.signOut()
    await tablet.signIn('acme', 'user1@acme.example')
    attachWorkerAccess()
    expect((await tablet.api.call(listUsers, usersInput)).kind).toBe('fresh')
    expect(await tablet.session()).toMatchObject({ userId: 1, signedOut: false })
  })

  it('never sends the token of a session that its user signed out of (fault 40f)', async () => {
    const { tablet, worker, page, usePageAccess, attachWorkerAccess } = await openBlindWorker()
    const token = (await page.read(null)) ?? ''
    worker.onRenewed(token)
    usePageAccess()
    await tablet.signOut()
    attachWorkerAccess()
    const previousLength = tablet.connection.log.length
    await tablet.api.call(getUser, {})
    const bearers = tablet.connection.log.slice(previousLength).map(({ request }) => request.headers['authorization'])
    expect(bearers).not.toContain(`Bearer ${token}`)
  })

  it('never uses a remembered token if it can read cookies (fault 40g)', async () => {
    let cookie: string | null = '1.aaaaaaaaaaaaaaaa'
    const access = createWorkerAccess({ read: async () => cookie, delete: async () => undefined })
    access.onRenewed('1.bbbbbbbbbbbbbbbb')
    expect(await access.read({ userId: 1 })).toBe(cookie)
    cookie = null
    expect(await access.read({ userId: 1 })).toBeNull()
    expect(access.isRemembered('1.bbbbbbbbbbbbbbbb')).toBe(false)
  })
})
