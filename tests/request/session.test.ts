import { createHash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { getUser } from '#contract/accounts.ts'
import { headers } from '#contract/headers.ts'
import { listUsers, updateCompanyUser } from '#contract/users.ts'
import { freshToken } from '#request/session/auth-fetch.ts'
import { createClock, createTablet } from '#tests/support/device/device.ts'
import { aUser, company } from '#tests/support/device/device-database.ts'
import { createScripted } from '#tests/support/device/scripted.ts'

async function signedIn() {
  const clock = createClock()
  const server = createScripted(clock)
  const tablet = createTablet((sent) => server.answer(sent), clock)
  await tablet.signIn('acme', 'user1@acme.example')
  await tablet.api.call(listUsers, { params: { companyId: company } })
  await tablet.rest()
  return { clock, server, tablet }
}
const users = { params: { companyId: company } }
type Signed = Awaited<ReturnType<typeof signedIn>>
const rowsHere = async ({ tablet }: Signed) =>
  (await tablet.device.of({ companyId: company, userId: 1 }).table('users').count()) as number
const write = ({ tablet }: Signed) => tablet.api.call(updateCompanyUser, { params: { id: 2 }, body: { title: 1 } })

describe('an expired token', () => {
  it('is renewed once for a hundred calls that meet it, and each is repeated once (R-22)', async () => {
    const { clock, server, tablet } = await signedIn()
    await clock.turn(601_000)
    const answers = await Promise.all(Array.from({ length: 100 }, () => tablet.api.call(listUsers, users)))
    expect(answers.every(({ kind }) => kind === 'fresh')).toBe(true)
    expect(server.renewals).toBe(1)
  })

  it('is renewed before the call when its cookie is gone (K-13)', async () => {
    const { server, tablet } = await signedIn()
    tablet.cookies.delete('portal-access')
    expect((await tablet.api.call(getUser, {})).kind).toBe('fresh')
    expect(server.renewals).toBe(1)
  })

  it('names the user whom the session is taken for', async () => {
    const { tablet } = await signedIn()
    tablet.cookies.delete('portal-access')
    await tablet.api.call(getUser, {})
    const renewal = tablet.line.log.find(({ sent }) => sent.body?.includes('refresh_token'))
    expect(renewal?.sent.headers[headers.forUser]).toBe(`${company}:1`)
  })

  it('fault 14d shows by its hash the newest token that this device was given, also when its cookie is an older one', async () => {
    const { tablet } = await signedIn()
    const newest = tablet.cookies.get('portal-access') ?? ''
    tablet.cookies.delete('portal-access')
    tablet.reopen()
    await tablet.api.call(getUser, {})
    const renewal = tablet.line.log.find(({ sent }) => sent.body?.includes('refresh_token'))
    expect(renewal?.sent.headers[headers.newestAccess]).toBe(createHash('sha256').update(newest).digest('hex'))
  })

  it('ends nothing when the line is down: the app still opens with what it keeps', async () => {
    const signed = await signedIn()
    const { tablet } = signed
    tablet.cookies.delete('portal-access')
    tablet.line.state = 'down'
    tablet.reopen()
    expect(await tablet.session()).toMatchObject({ userId: 1, signedOut: false })
    expect(await tablet.api.call(getUser, {})).toMatchObject({ kind: 'kept', output: { id: 1 } })
    expect(await tablet.api.call(listUsers, users)).toMatchObject({ kind: 'kept' })
    expect(await rowsHere(signed)).toBe(3)
  })

  it('waits five seconds at most for a tab that holds the lock', async () => {
    const { clock, server, tablet } = await signedIn()
    let thaw = () => {}
    const frozen = tablet.ports.locks.hold('portal-renew', { waitMs: 0 }, () => new Promise<void>((go) => (thaw = go)))
    tablet.cookies.delete('portal-access')
    const asked = tablet.api.call(getUser, {})
    await clock.turn(0)
    expect(server.renewals).toBe(0)
    for (let passed = 0; passed < 5_000; passed += 500) await clock.turn(500)
    expect((await asked).kind).not.toBe('problem')
    expect(server.renewals).toBe(1)
    thaw()
    await frozen
  })
})

describe('a token for what the browser itself sends', () => {
  it('is the one there is, renewed where it was refused or is gone, once for all who ask', async () => {
    const { server, tablet } = await signedIn()
    const first = await freshToken(tablet.ports, null)
    expect([first, server.renewals]).toEqual([tablet.cookies.get('portal-access'), 0])
    const asked = await Promise.all([freshToken(tablet.ports, first), freshToken(tablet.ports, first)])
    expect(new Set(asked)).toEqual(new Set([tablet.cookies.get('portal-access')]))
    expect([asked[0] === first, server.renewals]).toEqual([false, 1])
    // Another one was refused: this one is not it.
    expect(await freshToken(tablet.ports, first)).toBe(asked[0])
    tablet.cookies.delete('portal-access')
    expect(await freshToken(tablet.ports, null)).not.toBeNull()
    expect(server.renewals).toBe(2)
  })

  it('is none without a line', async () => {
    const { tablet } = await signedIn()
    tablet.cookies.delete('portal-access')
    tablet.line.state = 'down'
    expect(await freshToken(tablet.ports, null)).toBeNull()
  })

  it('is renewed before its end by an upload that takes minutes and asks for nothing else', async () => {
    const { clock, server, tablet } = await signedIn()
    await clock.turn(600_000 - 55_000)
    await freshToken(tablet.ports, null)
    await tablet.rest()
    expect(server.renewals).toBe(1)
  })
})

describe('a token near its end (K-05)', () => {
  const almostMs = 600_000 - 55_000

  it('is renewed once beside a hundred calls, which all go on with the old one', async () => {
    const { clock, server, tablet } = await signedIn()
    await clock.turn(almostMs)
    const before = tablet.cookies.get('portal-access')
    const answers = await Promise.all(Array.from({ length: 100 }, () => tablet.api.call(listUsers, users)))
    await tablet.rest()
    expect(answers.every(({ kind }) => kind === 'fresh')).toBe(true)
    expect(server.renewals).toBe(1)
    expect(tablet.line.log.filter(({ status }) => status === 401)).toEqual([])
    expect(tablet.cookies.get('portal-access')).not.toBe(before)
  })

  it('is left alone before that, and while nobody asks for anything: a forgotten screen does not stay signed in', async () => {
    const { clock, server, tablet } = await signedIn()
    await clock.turn(600_000 - 91_000)
    await tablet.api.call(listUsers, users)
    await clock.turn(90_000)
    await tablet.rest()
    expect(server.renewals).toBe(0)
  })

  it('is tried once only where the server cannot renew it now, and once more when it has ended', async () => {
    const { clock, server, tablet } = await signedIn()
    await clock.turn(almostMs)
    let tries = 0
    server.script = (sent) => {
      if (!sent.body?.includes('refresh_token')) return null
      tries += 1
      return { status: 503, headers: {}, body: '' }
    }
    for (let times = 0; times < 5; times++) await tablet.api.call(listUsers, users)
    await tablet.rest()
    expect(tries).toBe(1)
    server.script = null
    await clock.turn(60_000)
    expect((await tablet.api.call(listUsers, users)).kind).toBe('fresh')
    expect(server.renewals).toBe(1)
  })

  it('is renewed once whatever is done to the clock (R-21)', async () => {
    const { clock, server, tablet } = await signedIn()
    // Forward: it is taken for old, once. Backward: its end is learned from the server.
    for (const ms of [10 * 31_557_600_000, -20 * 31_557_600_000]) {
      const before = server.renewals
      tablet.ports.clock = () => clock.now() + ms
      for (let times = 0; times < 5; times++) await tablet.api.call(listUsers, users)
      await tablet.rest()
      expect(server.renewals - before).toBeLessThanOrEqual(1)
      expect(await tablet.session()).toMatchObject({ signedOut: false })
    }
  })
})

describe('a session that the server has ended', () => {
  it('takes the rows with it, and never what waits (protocol 32, W-02)', async () => {
    const signed = await signedIn()
    const { server, tablet } = signed
    tablet.line.state = 'down'
    await write(signed)
    tablet.line.state = 'up'
    server.revoke()
    await tablet.api.call(listUsers, users)
    await tablet.rest()
    expect(await tablet.session()).toBeNull()
    expect(await rowsHere(signed)).toBe(0)
    expect(await tablet.device.of({ companyId: company, userId: 1 }).outbox.count()).toBe(1)
  })

  it('is not believed of something in between that answers 401 (protocol 32)', async () => {
    const signed = await signedIn()
    const { server, tablet } = signed
    const body = JSON.stringify({ errorCode: 'UNAUTHORIZED' })
    server.script = () => ({ status: 401, headers: { 'content-type': 'application/json' }, body })
    await tablet.api.call(listUsers, users)
    expect(await tablet.session()).toMatchObject({ userId: 1 })
    expect(await rowsHere(signed)).toBe(3)
  })

  it('gives back its waiting writes when the same user comes again', async () => {
    const signed = await signedIn()
    const { server, tablet } = signed
    tablet.line.state = 'down'
    await write(signed)
    tablet.line.state = 'up'
    server.revoke()
    await tablet.tick()
    expect(server.rows.get(2)?.title).toBe(0)
    await tablet.signIn('acme', 'user1@acme.example')
    await tablet.tick()
    expect(server.rows.get(2)?.title).toBe(1)
  })
})

describe('signing out', () => {
  it('works without a network: rows are gone, what waits stays, and nothing renews the session (protocol 29, W-02)', async () => {
    const signed = await signedIn()
    const { server, tablet } = signed
    tablet.line.state = 'down'
    await write(signed)
    await tablet.signOut()
    expect(await tablet.session()).toMatchObject({ signedOut: true })
    expect(await rowsHere(signed)).toBe(0)
    expect(await tablet.device.of({ companyId: company, userId: 1 }).outbox.count()).toBe(1)
    tablet.line.state = 'up'
    expect(await tablet.api.call(listUsers, users)).toMatchObject({ kind: 'problem', problem: { code: 'SIGNED_OUT' } })
    expect(server.renewals).toBe(0)
    expect(server.effects.size).toBe(0)
  })

  it('holds even where a cookie came back, or a renewal was about to begin', async () => {
    const { clock, server, tablet } = await signedIn()
    const cookie = tablet.cookies.get('portal-access') ?? ''
    let release = () => {}
    const held = tablet.ports.locks.hold('portal-renew', { waitMs: 0 }, () => new Promise<void>((go) => (release = go)))
    tablet.cookies.delete('portal-access')
    const asked = tablet.api.call(getUser, {})
    await clock.turn(0)
    tablet.line.state = 'down'
    await tablet.signOut()
    tablet.line.state = 'up'
    release()
    await Promise.all([asked, held])
    expect(server.renewals).toBe(0)
    tablet.cookies.set('portal-access', cookie)
    const before = tablet.line.log.length
    expect(await tablet.api.call(listUsers, users)).toMatchObject({ problem: { code: 'SIGNED_OUT' } })
    expect(tablet.line.log.length).toBe(before)
  })

  it('is finished by the next start where the browser died in the middle of it (protocol 30)', async () => {
    const signed = await signedIn()
    const { tablet } = signed
    await tablet.device.directory.session.update('now', { signedOut: true })
    expect(await rowsHere(signed)).toBe(3)
    tablet.reopen()
    tablet.line.state = 'down'
    await tablet.tick()
    expect(await rowsHere(signed)).toBe(0)
  })

  it('tells the server as soon as it can, once, and only then is the mark gone', async () => {
    const { server, tablet } = await signedIn()
    tablet.line.state = 'down'
    await tablet.signOut()
    await tablet.tick()
    expect(await tablet.session()).toMatchObject({ signedOut: true })
    tablet.line.state = 'up'
    await tablet.tick()
    await tablet.tick()
    expect(server.logouts).toBe(1)
    expect(await tablet.session()).toBeNull()
  })

  it('is heard by a list that was on its way: nothing of it is kept', async () => {
    const signed = await signedIn()
    const { server, tablet } = signed
    let meanwhile: Promise<void> | undefined
    const answer = server.answer
    server.answer = async (sent) => {
      const said = await answer(sent)
      if (sent.path.includes('/users')) await (meanwhile ??= tablet.signOut())
      return said
    }
    await tablet.api.call(listUsers, users)
    expect(await rowsHere(signed)).toBe(0)
  })
})

describe('another user on the same device', () => {
  it("signs in beside the first one's late sign-out, which takes nothing of theirs away (protocol 29)", async () => {
    const { clock, server, tablet } = await signedIn()
    tablet.line.state = 'down'
    await tablet.signOut()
    tablet.line.state = 'up'
    let answered = () => {}
    const busy = new Promise<void>((go) => (answered = go))
    const answer = server.answer
    // As the server does: whichever session the cookie names ends, and the answer takes the cookies away.
    server.answer = async (sent) => {
      const said = await answer(sent)
      if (!sent.path.endsWith('/logout')) return said
      await busy
      const gone = ['portal-access', 'portal-refresh'].map((name) => `${name}=; Path=/; Max-Age=0`)
      return { ...said, headers: { ...said.headers, 'set-cookie': gone } }
    }
    const leaving = tablet.tick()
    await expect.poll(() => tablet.line.log.filter(({ sent }) => sent.path.endsWith('/logout'))).toHaveLength(2)
    const entering = tablet.signIn('acme', 'user2@acme.example')
    // A page and its worker may both be at it.
    const again = tablet.tick()
    await clock.turn(0)
    answered()
    await Promise.all([leaving, entering, again])
    expect(await tablet.session()).toMatchObject({ userId: 2, signedOut: false })
    expect(tablet.cookies.get('portal-access')).toMatch(/^2\./)
    expect(server.logouts).toBe(1)
    expect((await tablet.api.call(getUser, {})).kind).toBe('fresh')
  })

  it('sees nothing of the first, and never sends what the first left waiting (W-01, W-03, R-08)', async () => {
    const signed = await signedIn()
    const { server, tablet } = signed
    tablet.line.state = 'down'
    await write(signed)
    await tablet.signOut()
    tablet.line.state = 'up'
    await tablet.signIn('acme', 'user2@acme.example')
    await tablet.tick()
    expect(await tablet.session()).toMatchObject({ userId: 2 })
    expect(await tablet.waiting()).toBe(0)
    expect(server.effects.size).toBe(0)
    await tablet.signOut()
    await tablet.signIn('acme', 'user1@acme.example')
    await tablet.tick()
    expect(server.effects.size).toBe(1)
  })

  it("whose cookie meets the first one's write has it sealed, with no effect (protocol 10, requirement 41)", async () => {
    const signed = await signedIn()
    const { server, tablet } = signed
    tablet.line.state = 'down'
    await write(signed)
    tablet.line.state = 'up'
    // The cookie changed under us: another tab, another user.
    const other = await server.answer({
      method: 'POST',
      path: '/api/m18s/token',
      headers: {},
      body: 'grant_type=password&username=acme:user2@acme.example',
    })
    tablet.cookies.set('portal-access', JSON.parse(other.body).access_token)
    await tablet.tick()
    expect(server.effects.size).toBe(0)
    const entries = await tablet.device.of({ companyId: company, userId: 1 }).outbox.toArray()
    expect(entries).toMatchObject([{ state: 'sign in' }])
  })
})

describe('an answer made for somebody else', () => {
  it('leaves no row behind (protocol 10)', async () => {
    const signed = await signedIn()
    const { server, tablet } = signed
    server.rows.set(4, aUser(4))
    server.script = (sent, answer) => {
      const said = answer()
      return sent.path.includes('/users') ? { ...said, headers: { ...said.headers, [headers.subject]: '8:9' } } : null
    }
    expect((await tablet.api.call(listUsers, users)).kind).toBe('fresh')
    await tablet.rest()
    expect(await rowsHere(signed)).toBe(3)
  })
})

describe('a device that lost its storage', () => {
  it('learns from the first answer whose cookie it has (protocol 31)', async () => {
    const { server, tablet, clock } = await signedIn()
    const fresh = createTablet((sent) => server.answer(sent), clock)
    for (const [name, value] of tablet.cookies) fresh.cookies.set(name, value)
    expect((await fresh.api.call(getUser, {})).kind).toBe('fresh')
    expect(await fresh.session()).toMatchObject({ companyId: company, userId: 1 })
  })
})
