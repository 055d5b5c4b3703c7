import { describe, expect, it } from 'vitest'
import { getUser } from '#contract/accounts.ts'
import { headers } from '#contract/headers.ts'
import { listUsers } from '#contract/users.ts'
import { createClock, createTablet } from '#tests/support/device/device.ts'
import { aUser, company } from '#tests/support/device/device-database.ts'
import { createScripted, refusal } from '#tests/support/device/scripted.ts'

async function signedIn() {
  const clock = createClock()
  const server = createScripted(clock)
  const tablet = createTablet((sent) => server.answer(sent), clock)
  await tablet.signIn('acme', 'user1@acme.example')
  return { clock, server, tablet }
}
const users = { params: { companyId: company } }

describe('a list', () => {
  it('is brought here whole once a page of it was read, and from then on only when something changed', async () => {
    const { tablet } = await signedIn()
    const list = () => tablet.line.log.filter(({ sent }) => sent.path.includes('since=')).length
    await tablet.api.call(listUsers, users)
    await tablet.rest()
    await tablet.api.call(listUsers, users)
    await tablet.rest()
    expect(list()).toBe(1)
    expect(await tablet.list(listUsers, { scope: company })).toMatchObject({ complete: true, here: 3 })
  })

  it('waits three seconds for the line if the device has it, and what comes later is still kept', async () => {
    const { clock, server, tablet } = await signedIn()
    await tablet.api.call(listUsers, users)
    await tablet.rest()
    const before = clock.now()
    server.rows.set(4, aUser(4))
    let arrive = () => {}
    const slow = new Promise<void>((go) => (arrive = go))
    const answer = server.answer
    server.answer = async (sent) => {
      await slow
      return await answer(sent)
    }
    const asked = tablet.api.call(listUsers, users)
    await clock.turn(0)
    await clock.turn(2_900)
    await clock.turn(100)
    expect(await asked).toMatchObject({ kind: 'kept', asOf: before, output: { count: 3 } })
    expect(tablet.staysFor()).toBe(1)
    arrive()
    await tablet.rest()
    expect(await tablet.list(listUsers, { scope: company })).toMatchObject({ here: 4, asOf: clock.now() })
  })

  it('that the device has never read waits for the line as long as it takes', async () => {
    const { clock, server, tablet } = await signedIn()
    let arrive = () => {}
    const slow = new Promise<void>((go) => (arrive = go))
    const answer = server.answer
    server.answer = async (sent) => {
      await slow
      return await answer(sent)
    }
    const asked = tablet.api.call(listUsers, users)
    await clock.turn(0)
    await clock.turn(4_000)
    arrive()
    expect((await asked).kind).toBe('fresh')
  })

  it.each([
    ['a server in trouble', refusal(503, 'UNAVAILABLE')],
    ['a login page in between', { status: 200, headers: { 'content-type': 'text/html' }, body: '<p>Welcome</p>' }],
    ["a proxy's refusal", { status: 403, headers: {}, body: 'blocked' }],
  ])('is answered from the device at %s', async (_, said) => {
    const { server, tablet } = await signedIn()
    await tablet.api.call(listUsers, users)
    server.script = () => said
    expect((await tablet.api.call(listUsers, users)).kind).toBe('kept')
    expect((await tablet.api.call(getUser, {})).kind).toBe('kept')
  })

  it('fault 37t says what the server answered beside what the device has, after a 500', async () => {
    const { server, tablet } = await signedIn()
    await tablet.api.call(listUsers, users)
    await tablet.rest()
    server.script = () => refusal(500, 'INTERNAL_ERROR')
    expect(await tablet.api.call(listUsers, users)).toMatchObject({
      kind: 'kept',
      problem: { status: 500, code: 'INTERNAL_ERROR' },
    })
    tablet.line.state = 'down'
    expect(await tablet.api.call(listUsers, users)).not.toHaveProperty('problem')
  })

  it('that may not be read says so, whatever the device has', async () => {
    const { server, tablet } = await signedIn()
    await tablet.api.call(listUsers, users)
    server.script = () => refusal(403, 'FORBIDDEN')
    expect(await tablet.api.call(listUsers, users)).toMatchObject({ kind: 'problem', problem: { code: 'FORBIDDEN' } })
  })

  it('that was never read says, without a line, that it is offline', async () => {
    const { tablet } = await signedIn()
    tablet.line.state = 'down'
    expect(await tablet.api.call(listUsers, users)).toMatchObject({ kind: 'problem', problem: { code: 'OFFLINE' } })
  })
})

describe('fault 3b a row that the server could not show', () => {
  /** Row 2 is there still, and no answer has it. */
  async function withoutRow2(told: Record<string, string>) {
    const { clock, server, tablet } = await signedIn()
    await tablet.api.call(listUsers, users)
    await tablet.rest()
    await clock.turn(1_000)
    server.script = (sent, answer) => {
      if (!sent.path.includes('/users')) return null
      const { headers: given, body, ...rest } = answer()
      const said = JSON.parse(body)
      const isThere = ({ id }: { id: number }) => id !== 2
      const less = said.data
        ? { ...said, data: said.data.filter(isThere) }
        : { ...said, changed: said.changed.filter(isThere) }
      return {
        ...rest,
        headers: { ...given, [headers.change]: '2', ...told },
        body: JSON.stringify({ ...less, ...(said.data ? {} : { upto: 2 }) }),
      }
    }
    const result = await tablet.api.call(listUsers, users)
    await tablet.rest()
    const rows = await Promise.all([1, 2, 3].map((id) => tablet.row('users', id)))
    return { result, ids: rows.flatMap((row) => (row ? [row.row.id] : [])) }
  }

  it('stays on the device, named or not, and the screen is told of it', async () => {
    for (const ids of ['2', '']) {
      const told = { [headers.rowsLeftOut]: '1', [headers.leftOutIds]: ids }
      const { result, ids: here } = await withoutRow2(told)
      expect(result).toMatchObject({ kind: 'fresh', leftOut: 1, output: { count: 3 } })
      expect(here).toEqual([1, 2, 3])
    }
  })

  it('is not taken for one that is gone, which leaves the device', async () => {
    const { result, ids } = await withoutRow2({})
    expect(result).not.toHaveProperty('leftOut')
    expect(ids).toEqual([1, 3])
    const other = await withoutRow2({ [headers.rowsLeftOut]: '1', [headers.leftOutIds]: '3' })
    expect(other.ids).toEqual([1, 3])
  })
})
