/** A proxy or firewall that refuses one request while it lets the others through. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { changePassword } from '#contract/accounts.ts'
import { verifyTrail } from '#contract/audit-trail.ts'
import { createUser, deleteUser, listUsers } from '#contract/users.ts'
import { watch } from '#request/jobs/job-poller.ts'
import { createOutboxActions } from '#request/page/outbox-actions.ts'
import { type Installation, openInstallation } from '#tests/support/device/app.ts'
import { breathe, type Tablet } from '#tests/support/device/device.ts'

let app: Installation
let tablet: Tablet
let companyId: number
let userId: number
beforeAll(async () => {
  app = await openInstallation()
})
afterAll(() => app.close())
beforeEach(async () => {
  const { companies, users } = await app.server.reset()
  companyId = companies.alpha
  userId = users['user@alpha'] ?? 0
  tablet = await app.signedIn('admin@alpha')
})

const page = (status: number, extra: Record<string, string> = {}) =>
  new Response('<html><body>Request blocked</body></html>', {
    status,
    headers: { 'content-type': 'text/html', ...extra },
  })

interface Seen {
  method: string
  path: string
  body: string
}

/** Puts something in between, which answers where `answer` does. The server sees the rest. `arrives`: also what is refused. */
function block(
  of: Tablet,
  answer: (request: Seen) => Response | null,
  { arrives = false } = {},
): { tries: () => number; lift: () => void } {
  const { network } = of.ports
  let tries = 0
  of.ports.network = async (request) => {
    const { pathname, search } = new URL(request.url)
    const body = request.body ? await request.clone().text() : ''
    const refusal = answer({ method: request.method, path: pathname + search, body })
    if (!refusal) return network(request)
    tries += 1
    if (arrives) await network(request)
    return refusal
  }
  return { tries: () => tries, lift: () => void (of.ports.network = network) }
}

const bad = 'select from'
const holdsBad = ({ body }: Seen) => body.includes(bad)
const newUser = (name: string) => ({
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
async function passTime(of: Tablet, rounds: number, roundMs = 5_000): Promise<void> {
  for (let round = 0; round < rounds; round++) {
    await of.tick()
    await app.clock.turn(roundMs)
  }
  await of.rest()
}

async function waitingWrites(...names: string[]): Promise<void> {
  tablet.line.state = 'down'
  for (const name of names) await tablet.api.call(createUser, newUser(name))
  tablet.line.state = 'up'
}

const states = async () => (await tablet.entries()).map(({ state, problem }) => [state, problem?.code, problem?.data])
const namesAtServer = async () => {
  await tablet.api.call(listUsers, { params: { companyId } })
  await tablet.rest()
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
    await waitingWrites(bad)
    const proxy = block(tablet, (request) => (holdsBad(request) ? page(status, extra) : null))
    await passTime(tablet, 12)
    expect(proxy.tries()).toBe(3)
    expect(await states()).toEqual([['refused', 'BLOCKED_BY_PROXY', { status }]])
    await passTime(tablet, 12)
    expect(proxy.tries()).toBe(3)
  })
})

describe('what a proxy refuses', () => {
  it('fault 19b holds up no other write', async () => {
    const others = Array.from({ length: 12 }, (_, at) => `Other ${at}`)
    await waitingWrites(others[0] ?? '', bad, ...others.slice(1))
    block(tablet, (request) => (holdsBad(request) ? page(403) : null))
    await tablet.tick()
    await tablet.rest()
    expect(await states()).toEqual([['waiting', 'BLOCKED_BY_PROXY', { status: 403 }]])
    expect(await namesAtServer()).toEqual(expect.arrayContaining(others))
  })

  it('fault 19c is said while it is tried again, and not as a missing connection', async () => {
    await waitingWrites(bad)
    block(tablet, (request) => (holdsBad(request) ? page(403) : null))
    await tablet.tick()
    await tablet.rest()
    const [entry] = await tablet.entries()
    expect(await createOutboxActions(tablet.ports).whyWaits(entry?.intent ?? '')).toMatchObject({
      why: 'blocked',
      problem: { data: { status: 403 } },
    })
  })

  it('fault 19d waits for the connection, without a count, while everything is refused', async () => {
    await waitingWrites(bad)
    tablet.line.state = 'captive'
    await passTime(tablet, 12)
    const [entry] = await tablet.entries()
    expect(entry).toMatchObject({ state: 'waiting', problem: null })
    tablet.line.state = 'up'
    await passTime(tablet, 1)
    expect(await states()).toEqual([])
  })

  it('fault 19e counts no try of one that arrived: its lost response is fetched', async () => {
    await waitingWrites(bad)
    const proxy = block(tablet, (request) => (holdsBad(request) ? page(504) : null), { arrives: true })
    await passTime(tablet, 2)
    expect(proxy.tries()).toBe(1)
    expect(await states()).toEqual([])
    expect(await namesAtServer()).toContain(bad)
  })

  describe('and its user decides about', () => {
    let intent: string
    let proxy: ReturnType<typeof block>
    const actions = () => createOutboxActions(tablet.ports)
    beforeEach(async () => {
      await waitingWrites(bad)
      proxy = block(tablet, (request) => (holdsBad(request) ? page(403) : null))
      await passTime(tablet, 6)
      intent = (await tablet.entries())[0]?.intent ?? ''
    })

    it('fault 19f is sent with other values after an edit', async () => {
      expect(await actions().mend(intent, newUser('Mended'))).toBe(true)
      await passTime(tablet, 1)
      expect(await states()).toEqual([])
      expect(await namesAtServer()).toContain('Mended')
    })

    it('fault 19g is tried three times anew when it is sent again', async () => {
      expect(await actions().retry(intent)).toBe(true)
      await passTime(tablet, 6)
      expect(proxy.tries()).toBe(6)
      expect(await states()).toEqual([['refused', 'BLOCKED_BY_PROXY', { status: 403 }]])
    })

    it('fault 19h is exported with all that was typed', async () => {
      const { writes } = JSON.parse(await actions().exportOne(intent))
      expect(writes).toMatchObject([
        { intent, input: newUser(bad), problem: { code: 'BLOCKED_BY_PROXY', status: 403 } },
      ])
    })

    it('fault 19i is gone when it is discarded, and never runs', async () => {
      await actions().drop(intent)
      await passTime(tablet, 1)
      expect(await states()).toEqual([])
      proxy.lift()
      expect(await namesAtServer()).not.toContain(bad)
    })

    it('fault 19i is gone when it is discarded where the proxy refuses every DELETE', async () => {
      block(tablet, ({ method }) => (method === 'DELETE' ? page(405) : null))
      await actions().drop(intent)
      await passTime(tablet, 6)
      expect(await states()).toEqual([])
    })
  })

  it('fault 19j is shown of a call without a body too', async () => {
    tablet.line.state = 'down'
    await tablet.api.call(deleteUser, { params: { id: userId } })
    await tablet.api.call(createUser, newUser('Behind'))
    tablet.line.state = 'up'
    block(tablet, ({ method, path }) => (method === 'DELETE' && path.includes('/user/') ? page(405) : null))
    await passTime(tablet, 6)
    expect(await states()).toEqual([['refused', 'BLOCKED_BY_PROXY', { status: 405 }]])
  })

  it('fault 19k shows a list that is refused as refused, with the rows that the device has', async () => {
    await namesAtServer()
    const before = (await tablet.list(listUsers, { scope: companyId })).count
    block(tablet, ({ path }) => (path.includes('/users?') || path.endsWith('/users') ? page(502) : null))
    expect(await tablet.api.call(listUsers, { params: { companyId } })).toMatchObject({
      kind: 'problem',
      problem: { code: 'BLOCKED_BY_PROXY', data: { status: 502 } },
    })
    expect((await tablet.list(listUsers, { scope: companyId })).count).toBe(before)
  })

  it('fault 19k still shows the rows of the device where nothing can be reached', async () => {
    await namesAtServer()
    tablet.line.state = 'captive'
    const asked = tablet.api.call(listUsers, { params: { companyId } })
    expect((await asked).kind).toBe('kept')
  })

  it('fault 19l says so of a call that never waits', async () => {
    block(tablet, ({ path }) => (path === changePassword.path ? page(403) : null))
    const asked = tablet.api.call(changePassword, { body: { orgPwd: 'a', newPwd: 'b' } })
    expect(await asked).toMatchObject({ kind: 'problem', problem: { code: 'BLOCKED_BY_PROXY', data: { status: 403 } } })
  })

  describe('of long requests', () => {
    const all = { body: { companyId: null } }
    const jobs = async () => {
      const session = await tablet.session()
      return session ? await tablet.device.of(session).jobs.toArray() : []
    }
    beforeEach(async () => {
      tablet = await app.signedIn('admin@m18')
    })

    it('fault 19m a start that is refused ends with what happened', async () => {
      block(tablet, ({ path }) => (path === verifyTrail.path ? page(403) : null))
      expect(await tablet.api.call(verifyTrail, all)).toMatchObject({
        kind: 'problem',
        problem: { code: 'BLOCKED_BY_PROXY', data: { status: 403 } },
      })
    })

    it('fault 19n polls that are refused end after three, and can be asked again', async () => {
      await tablet.api.call(verifyTrail, all, { until: 'started' })
      const proxy = block(tablet, ({ path }) => (path.startsWith('/api/request/') ? page(403) : null))
      for (let round = 0; round < 40; round++) {
        await watch(tablet.ports, { hurry: true, forMs: 0 })
        await breathe()
        await app.clock.turn(1_000)
      }
      expect(proxy.tries()).toBe(3)
      expect(await jobs()).toMatchObject([{ state: 'timeout', problem: { code: 'BLOCKED_BY_PROXY' } }])
    })
  })
})
