/** Tests a proxy or firewall that refuses some requests while it lets the others through. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { changePassword } from '#contract/accounts.ts'
import { verifyTrail } from '#contract/audit-trail.ts'
import { createUser, deleteUser, listUsers } from '#contract/users.ts'
import { watchOpenJobs } from '#request/jobs/job-poller.ts'
import { createOutboxActions } from '#request/page/outbox-actions.ts'
import { type Installation, openInstallation } from '#tests/support/device/app.ts'
import { flushEventLoop, type Tablet } from '#tests/support/device/device.ts'

let installation: Installation
let tablet: Tablet
let companyId: number
let userId: number
beforeAll(async () => {
  installation = await openInstallation()
})
afterAll(() => installation.close())
beforeEach(async () => {
  const { companies, users } = await installation.server.reset()
  companyId = companies.alpha
  userId = users['user@alpha'] ?? 0
  tablet = await installation.signInTablet('admin@alpha')
})

const buildBlockPage = (status: number, extraHeaders: Record<string, string> = {}) =>
  new Response('<html><body>Request blocked</body></html>', {
    status,
    headers: { 'content-type': 'text/html', ...extraHeaders },
  })

interface SeenRequest {
  method: string
  path: string
  body: string
}

/**
 * Puts a proxy between the device and the server. If `getRefusal` returns a response, the proxy sends it. All other requests reach the
 * server. With `arrives`, refused requests reach the server too.
 */
function block(
  targetTablet: Tablet,
  getRefusal: (request: SeenRequest) => Response | null,
  { arrives: reachesServer = false } = {},
): { countTries: () => number; removeBlock: () => void } {
  const { network } = targetTablet.ports
  let tryCount = 0
  targetTablet.ports.network = async (request) => {
    const { pathname, search } = new URL(request.url)
    const body = request.body ? await request.clone().text() : ''
    const refusal = getRefusal({ method: request.method, path: pathname + search, body })
    if (!refusal) return network(request)
    tryCount += 1
    if (reachesServer) await network(request)
    return refusal
  }
  return { countTries: () => tryCount, removeBlock: () => void (targetTablet.ports.network = network) }
}

const blockedName = 'select from'
const hasBlockedName = ({ body }: SeenRequest) => body.includes(blockedName)
const buildUserInput = (name: string) => ({
  body: {
    title: 0 as const,
    name,
    email: `${name.replace(/\W/g, '')}@alpha.example`,
    admin: false,
    order: false,
    alert: false,
  },
})

/** Runs the sender and advances the clock, `rounds` times. */
async function passTime(targetTablet: Tablet, rounds: number, roundMs = 5_000): Promise<void> {
  for (let round = 0; round < rounds; round++) {
    await targetTablet.tick()
    await installation.clock.advance(roundMs)
  }
  await targetTablet.settle()
}

async function queueWrites(...names: string[]): Promise<void> {
  tablet.connection.state = 'down'
  for (const name of names) await tablet.api.call(createUser, buildUserInput(name))
  tablet.connection.state = 'up'
}

const readStates = async () =>
  (await tablet.entries()).map(({ state, problem }) => [state, problem?.code, problem?.data])
const listServerNames = async () => {
  await tablet.api.call(listUsers, { params: { companyId } })
  await tablet.settle()
  return (await tablet.list(listUsers, { scope: companyId, results: 50 })).rows.map(
    ({ row }) => (row as { name?: string }).name,
  )
}

describe.each([
  [403, {}],
  [413, {}],
  [502, {}],
  [200, {}],
  // The proxy adds a request id to this response.
  [403, { 'x-request-id': 'f00' }],
] as const)('a write that a proxy answers with status %i and headers %o', (status, extra) => {
  it('is shown as blocked after three attempts (fault 19a)', async () => {
    await queueWrites(blockedName)
    const proxy = block(tablet, (request) => (hasBlockedName(request) ? buildBlockPage(status, extra) : null))
    await passTime(tablet, 12)
    expect(proxy.countTries()).toBe(3)
    expect(await readStates()).toEqual([['refused', 'BLOCKED_BY_PROXY', { status }]])
    await passTime(tablet, 12)
    expect(proxy.countTries()).toBe(3)
  })
})

describe('requests that a proxy blocks', () => {
  // The first write is sent alone, and the others in batches.
  it.each([0, 1])('do not delay other writes if %i of them are sent first (fault 19b)', async (position) => {
    const otherNames = Array.from({ length: 12 }, (_, index) => `Other ${index}`)
    await queueWrites(...otherNames.slice(0, position), blockedName, ...otherNames.slice(position))
    block(tablet, (request) => (hasBlockedName(request) ? buildBlockPage(403) : null))
    await tablet.tick()
    await tablet.settle()
    expect(await readStates()).toEqual([['waiting', 'BLOCKED_BY_PROXY', { status: 403 }]])
    expect(await listServerNames()).toEqual(expect.arrayContaining(otherNames))
  })

  it('are reported as blocked while they are retried, not as offline (fault 19c)', async () => {
    await queueWrites(blockedName)
    block(tablet, (request) => (hasBlockedName(request) ? buildBlockPage(403) : null))
    await tablet.tick()
    await tablet.settle()
    const [entry] = await tablet.entries()
    expect(await createOutboxActions(tablet.ports).getWaitReason(entry?.intent ?? '')).toMatchObject({
      kind: 'blocked',
      problem: { data: { status: 403 } },
    })
  })

  it('wait for the connection and count no attempts while everything is blocked (fault 19d)', async () => {
    await queueWrites(blockedName)
    tablet.connection.state = 'captive'
    await passTime(tablet, 12)
    const [entry] = await tablet.entries()
    expect(entry).toMatchObject({ state: 'waiting', problem: null })
    tablet.connection.state = 'up'
    await passTime(tablet, 1)
    expect(await readStates()).toEqual([])
  })

  it('count no attempt if the server got the write, because its lost response is fetched (fault 19e)', async () => {
    await queueWrites(blockedName)
    const proxy = block(tablet, (request) => (hasBlockedName(request) ? buildBlockPage(504) : null), { arrives: true })
    await passTime(tablet, 2)
    expect(proxy.countTries()).toBe(1)
    expect(await readStates()).toEqual([])
    expect(await listServerNames()).toContain(blockedName)
  })

  describe('after their user decides', () => {
    let intent: string
    let proxy: ReturnType<typeof block>
    const getActions = () => createOutboxActions(tablet.ports)
    beforeEach(async () => {
      await queueWrites(blockedName)
      proxy = block(tablet, (request) => (hasBlockedName(request) ? buildBlockPage(403) : null))
      await passTime(tablet, 6)
      intent = (await tablet.entries())[0]?.intent ?? ''
    })

    it('are sent with other values after an edit (fault 19f)', async () => {
      expect(await getActions().fix(intent, buildUserInput('Mended'))).toBe(true)
      await passTime(tablet, 1)
      expect(await readStates()).toEqual([])
      expect(await listServerNames()).toContain('Mended')
    })

    it('are tried three more times when they are sent again (fault 19g)', async () => {
      expect(await getActions().retry(intent)).toBe(true)
      await passTime(tablet, 6)
      expect(proxy.countTries()).toBe(6)
      expect(await readStates()).toEqual([['refused', 'BLOCKED_BY_PROXY', { status: 403 }]])
    })

    it('are exported with all typed values (fault 19h)', async () => {
      const { writes } = JSON.parse(await getActions().exportOne(intent))
      expect(writes).toMatchObject([
        { intent, input: buildUserInput(blockedName), problem: { code: 'BLOCKED_BY_PROXY', status: 403 } },
      ])
    })

    it('are deleted when they are discarded, and never run (fault 19i)', async () => {
      await getActions().drop(intent)
      await passTime(tablet, 1)
      expect(await readStates()).toEqual([])
      proxy.removeBlock()
      expect(await listServerNames()).not.toContain(blockedName)
    })

    it('are deleted when they are discarded, even if the proxy blocks every DELETE (fault 19i)', async () => {
      block(tablet, ({ method }) => (method === 'DELETE' ? buildBlockPage(405) : null))
      await getActions().drop(intent)
      await passTime(tablet, 6)
      expect(await readStates()).toEqual([])
    })
  })

  it('are shown as blocked even without a body (fault 19j)', async () => {
    tablet.connection.state = 'down'
    await tablet.api.call(deleteUser, { params: { id: userId } })
    await tablet.api.call(createUser, buildUserInput('Behind'))
    tablet.connection.state = 'up'
    block(tablet, ({ method, path }) => (method === 'DELETE' && path.includes('/user/') ? buildBlockPage(405) : null))
    await passTime(tablet, 6)
    expect(await readStates()).toEqual([['refused', 'BLOCKED_BY_PROXY', { status: 405 }]])
  })

  it('return a problem for a blocked list, which keeps its cached rows (fault 19k)', async () => {
    await listServerNames()
    const previousCount = (await tablet.list(listUsers, { scope: companyId })).count
    block(tablet, ({ path }) => (path.includes('/users?') || path.endsWith('/users') ? buildBlockPage(502) : null))
    expect(await tablet.api.call(listUsers, { params: { companyId } })).toMatchObject({
      kind: 'problem',
      problem: { code: 'BLOCKED_BY_PROXY', data: { status: 502 } },
    })
    expect((await tablet.list(listUsers, { scope: companyId })).count).toBe(previousCount)
  })

  it('return cached rows if nothing can be reached (fault 19k)', async () => {
    await listServerNames()
    tablet.connection.state = 'captive'
    const response = tablet.api.call(listUsers, { params: { companyId } })
    expect((await response).kind).toBe('cached')
  })

  it('return the problem for a call that is never queued (fault 19l)', async () => {
    block(tablet, ({ path }) => (path === changePassword.path ? buildBlockPage(403) : null))
    const response = tablet.api.call(changePassword, { body: { orgPwd: 'a', newPwd: 'b' } })
    expect(await response).toMatchObject({
      kind: 'problem',
      problem: { code: 'BLOCKED_BY_PROXY', data: { status: 403 } },
    })
  })

  describe('long requests', () => {
    const verifyInput = { body: { companyId: null } }
    const readJobs = async () => {
      const session = await tablet.session()
      return session ? await tablet.device.getDatabase(session).jobs.toArray() : []
    }
    beforeEach(async () => {
      tablet = await installation.signInTablet('admin@m18')
    })

    it('end with the problem if their start is blocked (fault 19m)', async () => {
      block(tablet, ({ path }) => (path === verifyTrail.path ? buildBlockPage(403) : null))
      expect(await tablet.api.call(verifyTrail, verifyInput)).toMatchObject({
        kind: 'problem',
        problem: { code: 'BLOCKED_BY_PROXY', data: { status: 403 } },
      })
    })

    it('end after three blocked polls, and can be polled again (fault 19n)', async () => {
      await tablet.api.call(verifyTrail, verifyInput, { until: 'started' })
      const proxy = block(tablet, ({ path }) => (path.startsWith('/api/request/') ? buildBlockPage(403) : null))
      for (let round = 0; round < 40; round++) {
        await watchOpenJobs(tablet.ports, { immediate: true, forMs: 0 })
        await flushEventLoop()
        await installation.clock.advance(1_000)
      }
      expect(proxy.countTries()).toBe(3)
      expect(await readJobs()).toMatchObject([{ state: 'timeout', problem: { code: 'BLOCKED_BY_PROXY' } }])
    })
  })
})
