import { describe, expect, it } from 'vitest'
import { getUser } from '#contract/accounts.ts'
import { headers } from '#contract/headers.ts'
import { listUsers } from '#contract/users.ts'
import { createClock, createTablet } from '#tests/support/device/device.ts'
import { buildUser, companyId } from '#tests/support/device/device-database.ts'
import { createScriptedServer, buildRefusal } from '#tests/support/device/scripted-server.ts'

async function openSignedInTablet() {
  const clock = createClock()
  const server = createScriptedServer(clock)
  const tablet = createTablet((request) => server.transport(request), clock)
  await tablet.signIn('acme', 'user1@acme.example')
  return { clock, server, tablet }
}
const usersInput = { params: { companyId } }

describe('a list', () => {
  it('is fetched completely after one page was read, and later only if something changed', async () => {
    const { tablet } = await openSignedInTablet()
    const countChangeRequests = () =>
      tablet.connection.log.filter(({ request }) => request.path.includes('since=')).length
    await tablet.api.call(listUsers, usersInput)
    await tablet.settle()
    await tablet.api.call(listUsers, usersInput)
    await tablet.settle()
    expect(countChangeRequests()).toBe(1)
    expect(await tablet.list(listUsers, { scope: companyId })).toMatchObject({ complete: true, cachedCount: 3 })
  })

  it('returns cached rows after three seconds, and a late response is still stored', async () => {
    const { clock, server, tablet } = await openSignedInTablet()
    await tablet.api.call(listUsers, usersInput)
    await tablet.settle()
    const readAt = clock.now()
    server.rows.set(4, buildUser(4))
    let releaseResponse = () => {}
    const responseReleased = new Promise<void>((resolve) => (releaseResponse = resolve))
    const originalTransport = server.transport
    server.transport = async (request) => {
      await responseReleased
      return await originalTransport(request)
    }
    const pendingResult = tablet.api.call(listUsers, usersInput)
    await clock.advance(0)
    await clock.advance(2_900)
    await clock.advance(100)
    expect(await pendingResult).toMatchObject({ kind: 'cached', asOf: readAt, output: { count: 3 } })
    expect(tablet.countPendingWork()).toBe(1)
    releaseResponse()
    await tablet.settle()
    expect(await tablet.list(listUsers, { scope: companyId })).toMatchObject({ cachedCount: 4, asOf: clock.now() })
  })

  it('waits for the response without a limit if the list was never read', async () => {
    const { clock, server, tablet } = await openSignedInTablet()
    let releaseResponse = () => {}
    const responseReleased = new Promise<void>((resolve) => (releaseResponse = resolve))
    const originalTransport = server.transport
    server.transport = async (request) => {
      await responseReleased
      return await originalTransport(request)
    }
    const pendingResult = tablet.api.call(listUsers, usersInput)
    await clock.advance(0)
    await clock.advance(4_000)
    releaseResponse()
    expect((await pendingResult).kind).toBe('fresh')
  })

  it.each([
    ['a 503 of the server', buildRefusal(503, 'UNAVAILABLE')],
    ['a login page', { status: 200, headers: { 'content-type': 'text/html' }, body: '<p>Welcome</p>' }],
    ['a refusal by a proxy', { status: 403, headers: {}, body: 'blocked' }],
  ])('returns cached rows if the response is %s', async (_, response) => {
    const { server, tablet } = await openSignedInTablet()
    await tablet.api.call(listUsers, usersInput)
    server.script = () => response
    expect((await tablet.api.call(listUsers, usersInput)).kind).toBe('cached')
    expect((await tablet.api.call(getUser, {})).kind).toBe('cached')
  })

  it('returns the problem of the server with the cached rows after a 500 (fault 37t)', async () => {
    const { server, tablet } = await openSignedInTablet()
    await tablet.api.call(listUsers, usersInput)
    await tablet.settle()
    server.script = () => buildRefusal(500, 'INTERNAL_ERROR')
    expect(await tablet.api.call(listUsers, usersInput)).toMatchObject({
      kind: 'cached',
      problem: { status: 500, code: 'INTERNAL_ERROR' },
    })
    tablet.connection.state = 'down'
    expect(await tablet.api.call(listUsers, usersInput)).not.toHaveProperty('problem')
  })

  it('returns FORBIDDEN even if rows are cached', async () => {
    const { server, tablet } = await openSignedInTablet()
    await tablet.api.call(listUsers, usersInput)
    server.script = () => buildRefusal(403, 'FORBIDDEN')
    expect(await tablet.api.call(listUsers, usersInput)).toMatchObject({
      kind: 'problem',
      problem: { code: 'FORBIDDEN' },
    })
  })

  it('returns OFFLINE without a connection if it was never read', async () => {
    const { tablet } = await openSignedInTablet()
    tablet.connection.state = 'down'
    expect(await tablet.api.call(listUsers, usersInput)).toMatchObject({
      kind: 'problem',
      problem: { code: 'OFFLINE' },
    })
  })
})

describe('a row that the server could not show (fault 3b)', () => {
  /** Reads the list while row 2 exists on the server, but is missing in every response. */
  async function readWithoutRow2(addedHeaders: Record<string, string>) {
    const { clock, server, tablet } = await openSignedInTablet()
    await tablet.api.call(listUsers, usersInput)
    await tablet.settle()
    await clock.advance(1_000)
    server.script = (request, respond) => {
      if (!request.path.includes('/users')) return null
      const { headers: responseHeaders, body, ...rest } = respond()
      const parsedBody = JSON.parse(body)
      const isOtherRow = ({ id }: { id: number }) => id !== 2
      const remainingBody = parsedBody.data
        ? { ...parsedBody, data: parsedBody.data.filter(isOtherRow) }
        : { ...parsedBody, changed: parsedBody.changed.filter(isOtherRow) }
      return {
        ...rest,
        headers: { ...responseHeaders, [headers.change]: '2', ...addedHeaders },
        body: JSON.stringify({ ...remainingBody, ...(parsedBody.data ? {} : { upto: 2 }) }),
      }
    }
    const result = await tablet.api.call(listUsers, usersInput)
    await tablet.settle()
    const rows = await Promise.all([1, 2, 3].map((id) => tablet.row('users', id)))
    return { result, ids: rows.flatMap((row) => (row ? [row.row.id] : [])) }
  }

  it('stays on the device, whether or not the response names it, and is counted in the result', async () => {
    for (const ids of ['2', '']) {
      const addedHeaders = { [headers.rowsLeftOut]: '1', [headers.leftOutIds]: ids }
      const { result, ids: localIds } = await readWithoutRow2(addedHeaders)
      expect(result).toMatchObject({ kind: 'fresh', leftOutCount: 1, output: { count: 3 } })
      expect(localIds).toEqual([1, 2, 3])
    }
  })

  it('is not mistaken for a deleted row, which is removed from the device', async () => {
    const { result, ids } = await readWithoutRow2({})
    expect(result).not.toHaveProperty('leftOutCount')
    expect(ids).toEqual([1, 3])
    const otherResult = await readWithoutRow2({ [headers.rowsLeftOut]: '1', [headers.leftOutIds]: '3' })
    expect(otherResult.ids).toEqual([1, 3])
  })
})
