import { describe, expect, it } from 'vitest'
import { headers } from '#contract/headers.ts'
import { updateCompanyUser } from '#contract/users.ts'
import { readReceipts } from '#local/outbox/receipts.ts'
import { readUnknownCalls } from '#local/outbox/direct-calls.ts'
import { sendOutbox } from '#request/writes/sender.ts'
import {
  createClock,
  createTablet,
  type ReceivedResponse,
  type SentRequest,
  type Tablet,
} from '#tests/support/device/device.ts'
import { createScriptedServer, buildRefusal } from '#tests/support/device/scripted-server.ts'

const requestPath = '/api/request/'
const buildServerResponse = (status: number, body: unknown, outcome: string | null): ReceivedResponse => ({
  status,
  headers: {
    'content-type': 'application/json',
    [headers.requestId]: 'r-1',
    ...(outcome ? { [headers.outcome]: outcome } : {}),
  },
  body: JSON.stringify(body),
})

async function openSignedInTablet(
  answerStatusRequest: (request: SentRequest) => ReceivedResponse = () => buildRefusal(404, 'INTENT_UNKNOWN'),
) {
  const clock = createClock()
  const server = createScriptedServer(clock)
  server.script = (request, respond) =>
    request.path.startsWith(requestPath) ? answerStatusRequest(request) : respond()
  const tablet = createTablet((request) => server.transport(request), clock)
  await tablet.signIn('acme', 'user1@acme.example')
  return { clock, server, tablet }
}
/** Makes a direct call: a change of a user's rights is never queued. */
const promote = (tablet: Tablet, intent?: string) =>
  tablet.api.call(updateCompanyUser, { params: { id: 2 }, body: { admin: true } }, intent ? { intent } : {})
const getIntent = (result: { kind: string; intent?: string }) => result.intent ?? ''
const findStatusRequests = (tablet: Tablet) =>
  tablet.connection.log.filter(({ request }) => request.path.startsWith(requestPath))
const findWrites = (tablet: Tablet) => tablet.connection.log.filter(({ request }) => request.headers[headers.key])

describe('a direct call', () => {
  it('is stored before it is sent, and deleted when its response arrives (protocol 13)', async () => {
    const { server, tablet } = await openSignedInTablet()
    let notedCount = 0
    const { transport } = server
    server.transport = async (request) => {
      const session = await tablet.session()
      if (request.headers[headers.key] && session)
        notedCount = await tablet.device.getDatabase(session).directCalls.count()
      return await transport(request)
    }
    expect(await promote(tablet)).toMatchObject({ kind: 'fresh', output: { admin: true } })
    expect(notedCount).toBe(1)
    const session = await tablet.session()
    expect(session && (await tablet.device.getDatabase(session).directCalls.count())).toBe(0)
  })

  it('is shown as unknown if its response is lost, then as done, and is never sent again', async () => {
    const { tablet } = await openSignedInTablet(() => buildServerResponse(200, { id: 2 }, 'done; 41'))
    tablet.connection.state = 'answers lost'
    const result = await promote(tablet)
    expect(result).toMatchObject({ kind: 'problem', problem: { code: 'NEEDS_CONNECTION' } })
    await tablet.settle()
    expect(await readUnknownCalls(tablet.device)).toMatchObject([{ intent: getIntent(result) }])
    expect(tablet.tally).not.toBe('')
    const previousWrites = findWrites(tablet).length
    tablet.reopen()
    tablet.connection.state = 'up'
    const session = await tablet.session()
    if (session) await tablet.device.getDatabase(session).directCalls.toCollection().modify({ nextAt: 0 })
    await sendOutbox(tablet.ports, { immediate: true })
    expect(await readUnknownCalls(tablet.device)).toEqual([])
    expect(await readReceipts(10, tablet.device)).toMatchObject([
      { intent: getIntent(result), outcome: 'done', outcomeId: '41', endpoint: 'updateCompanyUser' },
    ])
    expect(findWrites(tablet)).toHaveLength(previousWrites)
  })

  it('is voided before it is reported as not done, and its form can then send a new intent', async () => {
    const { clock, tablet } = await openSignedInTablet(({ method }) =>
      method === 'DELETE'
        ? buildServerResponse(200, { void: true }, 'refused; 5')
        : buildRefusal(404, 'INTENT_UNKNOWN'),
    )
    tablet.connection.state = 'down'
    const intent = getIntent(await promote(tablet))
    await tablet.settle()
    tablet.connection.state = 'up'
    await clock.advance(10_000)
    await sendOutbox(tablet.ports)
    expect(
      findStatusRequests(tablet)
        .slice(-2)
        .map(({ request: { method } }) => method),
    ).toEqual(['GET', 'DELETE'])
    expect(await readReceipts(10, tablet.device)).toMatchObject([{ intent, outcome: 'void' }])
    expect(await promote(tablet, intent)).toMatchObject({ kind: 'fresh' })
    expect(findWrites(tablet).at(-1)?.request.headers[headers.intent]).toBeUndefined()
  })

  it('is looked up after its page died, once no caller can be waiting', async () => {
    const { clock, tablet } = await openSignedInTablet(() => buildServerResponse(200, { id: 2 }, 'done; 41'))
    tablet.connection.state = 'hanging'
    void promote(tablet)
    await clock.advance(0)
    await clock.advance(0)
    tablet.reopen()
    tablet.connection.state = 'up'
    await sendOutbox(tablet.ports)
    expect(findStatusRequests(tablet)).toEqual([])
    await clock.advance(50_000)
    await sendOutbox(tablet.ports)
    expect(await readReceipts(10, tablet.device)).toMatchObject([{ outcome: 'done' }])
  })

  it('stays unknown if the server cannot give its outcome', async () => {
    const { clock, tablet } = await openSignedInTablet(() => buildRefusal(503, 'UNAVAILABLE'))
    tablet.connection.state = 'answers lost'
    await promote(tablet)
    tablet.connection.state = 'up'
    await clock.advance(10_000)
    await sendOutbox(tablet.ports)
    expect(await readUnknownCalls(tablet.device)).toHaveLength(1)
  })
})
