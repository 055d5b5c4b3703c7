/** A proxy or firewall that refuses one request while it lets the others through. */
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

/** Puts something in between, which answers where `getRefusal` does. The server sees the rest. `arrives`: also what is refused. */
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

/** Offline first, so that all wait; then as time and the page's probe would go on. */
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
  // Numbered by the proxy itself.
  [403, { 'x-request-id': 'f00' }],
] as const)('a write that is answered %i by something in between %o', (status, extra) => {
  it('fault 19a is shown after three tries with what happened', async () => {
    await queueWrites(blockedName)
    const proxy = block(tablet, (request) => (hasBlockedName(request) ? buildBlockPage(status, extra) : null))
    await passTime(tablet, 12)
    expect(proxy.countTries()).toBe(3)
    expect(await readStates()).toEqual([['refused', 'BLOCKED_BY_PROXY', { status }]])
    await passTime(tablet, 12)
    expect(proxy.countTries()).toBe(3)
  })
})

describe('what a proxy refuses', () => {
  it('fault 19b holds up no other write', async () => {
    const otherNames = Array.from({ length: 12 }, (_, index) => `Other ${index}`)
    await queueWrites(otherNames[0] ?? '', blockedName, ...otherNames.slice(1))
    block(tablet, (request) => (hasBlockedName(request) ? buildBlockPage(403) : null))
    await tablet.tick()
    await tablet.settle()
    expect(await readStates()).toEqual([['waiting', 'BLOCKED_BY_PROXY', { status: 403 }]])
    expect(await listServerNames()).toEqual(expect.arrayContaining(otherNames))
  })

  it('fault 19c is said while it is tried again, and not as a missing connection', async () => {
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

  it('fault 19d waits for the connection, without a count, while everything is refused', async () => {
    await queueWrites(blockedName)
    tablet.connection.state = 'captive'
    await passTime(tablet, 12)
    const [entry] = await tablet.entries()
    expect(entry).toMatchObject({ state: 'waiting', problem: null })
    tablet.connection.state = 'up'
    await passTime(tablet, 1)
    expect(await readStates()).toEqual([])
  })

  it('fault 19e counts no try of one that arrived: its lost response is fetched', async () => {
    await queueWrites(blockedName)
    const proxy = block(tablet, (request) => (hasBlockedName(request) ? buildBlockPage(504) : null), { arrives: true })
    await passTime(tablet, 2)
    expect(proxy.countTries()).toBe(1)
    expect(await readStates()).toEqual([])
    expect(await listServerNames()).toContain(blockedName)
  })

  describe('and its user decides about', () => {
    let intent: string
    let proxy: ReturnType<typeof block>
    const getActions = () => createOutboxActions(tablet.ports)
    beforeEach(async () => {
      await queueWrites(blockedName)
      proxy = block(tablet, (request) => (hasBlockedName(request) ? buildBlockPage(403) : null))
      await passTime(tablet, 6)
      intent = (await tablet.entries())[0]?.intent ?? ''
    })

    it('fault 19f is sent with other values after an edit', async () => {
      expect(await getActions().fix(intent, buildUserInput('Mended'))).toBe(true)
      await passTime(tablet, 1)
      expect(await readStates()).toEqual([])
      expect(await listServerNames()).toContain('Mended')
    })

    it('fault 19g is tried three times anew when it is sent again', async () => {
      expect(await getActions().retry(intent)).toBe(true)
      await passTime(tablet, 6)
      expect(proxy.countTries()).toBe(6)
      expect(await readStates()).toEqual([['refused', 'BLOCKED_BY_PROXY', { status: 403 }]])
    })

    it('fault 19h is exported with all that was typed', async () => {
      const { writes } = JSON.parse(await getActions().exportOne(intent))
      expect(writes).toMatchObject([
        { intent, input: buildUserInput(blockedName), problem: { code: 'BLOCKED_BY_PROXY', status: 403 } },
      ])
    })

    it('fault 19i is gone when it is discarded, and never runs', async () => {
      await getActions().drop(intent)
      await passTime(tablet, 1)
      expect(await readStates()).toEqual([])
      proxy.removeBlock()
      expect(await listServerNames()).not.toContain(blockedName)
    })

    it('fault 19i is gone when it is discarded where the proxy refuses every DELETE', async () => {
      block(tablet, ({ method }) => (method === 'DELETE' ? buildBlockPage(405) : null))
      await getActions().drop(intent)
      await passTime(tablet, 6)
      expect(await readStates()).toEqual([])
    })
  })

  it('fault 19j is shown of a call without a body too', async () => {
    tablet.connection.state = 'down'
    await tablet.api.call(deleteUser, { params: { id: userId } })
    await tablet.api.call(createUser, buildUserInput('Behind'))
    tablet.connection.state = 'up'
    block(tablet, ({ method, path }) => (method === 'DELETE' && path.includes('/user/') ? buildBlockPage(405) : null))
    await passTime(tablet, 6)
    expect(await readStates()).toEqual([['refused', 'BLOCKED_BY_PROXY', { status: 405 }]])
  })

  it('fault 19k shows a list that is refused as refused, with the rows that the device has', async () => {
    await listServerNames()
    const previousCount = (await tablet.list(listUsers, { scope: companyId })).count
    block(tablet, ({ path }) => (path.includes('/users?') || path.endsWith('/users') ? buildBlockPage(502) : null))
    expect(await tablet.api.call(listUsers, { params: { companyId } })).toMatchObject({
      kind: 'problem',
      problem: { code: 'BLOCKED_BY_PROXY', data: { status: 502 } },
    })
    expect((await tablet.list(listUsers, { scope: companyId })).count).toBe(previousCount)
  })

  it('fault 19k still shows the rows of the device where nothing can be reached', async () => {
    await listServerNames()
    tablet.connection.state = 'captive'
    const response = tablet.api.call(listUsers, { params: { companyId } })
    expect((await response).kind).toBe('cached')
  })

  it('fault 19l says so of a call that never waits', async () => {
    block(tablet, ({ path }) => (path === changePassword.path ? buildBlockPage(403) : null))
    const response = tablet.api.call(changePassword, { body: { orgPwd: 'a', newPwd: 'b' } })
    expect(await response).toMatchObject({
      kind: 'problem',
      problem: { code: 'BLOCKED_BY_PROXY', data: { status: 403 } },
    })
  })

  describe('of long requests', () => {
    const verifyInput = { body: { companyId: null } }
    const readJobs = async () => {
      const session = await tablet.session()
      return session ? await tablet.device.getDatabase(session).jobs.toArray() : []
    }
    beforeEach(async () => {
      tablet = await installation.signInTablet('admin@m18')
    })

    it('fault 19m a start that is refused ends with what happened', async () => {
      block(tablet, ({ path }) => (path === verifyTrail.path ? buildBlockPage(403) : null))
      expect(await tablet.api.call(verifyTrail, verifyInput)).toMatchObject({
        kind: 'problem',
        problem: { code: 'BLOCKED_BY_PROXY', data: { status: 403 } },
      })
    })

    it('fault 19n polls that are refused end after three, and can be asked again', async () => {
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
