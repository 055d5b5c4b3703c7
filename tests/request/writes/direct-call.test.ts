import { describe, expect, it } from 'vitest'
import { headers } from '#contract/headers.ts'
import { updateCompanyUser } from '#contract/users.ts'
import { readReceipts } from '#local/outbox/receipts.ts'
import { readUnknown } from '#local/outbox/direct-calls.ts'
import { sendOutbox } from '#request/writes/sender.ts'
import { createClock, createTablet, type Received, type Sent, type Tablet } from '#tests/support/device/device.ts'
import { createScripted, refusal } from '#tests/support/device/scripted.ts'

const about = '/api/request/'
const serverSays = (status: number, body: unknown, outcome: string | null): Received => ({
  status,
  headers: {
    'content-type': 'application/json',
    [headers.requestId]: 'r-1',
    ...(outcome ? { [headers.outcome]: outcome } : {}),
  },
  body: JSON.stringify(body),
})

async function signedIn(idempotency: (sent: Sent) => Received = () => refusal(404, 'INTENT_UNKNOWN')) {
  const clock = createClock()
  const server = createScripted(clock)
  server.script = (sent, answer) => (sent.path.startsWith(about) ? idempotency(sent) : answer())
  const tablet = createTablet((sent) => server.answer(sent), clock)
  await tablet.signIn('acme', 'user1@acme.example')
  return { clock, server, tablet }
}
/** A change of a flag that decides what somebody may do is never queued. */
const promote = (tablet: Tablet, intent?: string) =>
  tablet.api.call(updateCompanyUser, { params: { id: 2 }, body: { admin: true } }, intent ? { intent } : {})
const intentOf = (result: { kind: string; intent?: string }) => result.intent ?? ''
const asked = (tablet: Tablet) => tablet.line.log.filter(({ sent }) => sent.path.startsWith(about))
const writes = (tablet: Tablet) => tablet.line.log.filter(({ sent }) => sent.headers[headers.key])

describe('a call that is never queued', () => {
  it('is noted before it leaves, and forgotten when its answer came (protocol 13)', async () => {
    const { server, tablet } = await signedIn()
    let noted = 0
    const { answer } = server
    server.answer = async (sent) => {
      const session = await tablet.session()
      if (sent.headers[headers.key] && session) noted = await tablet.device.of(session).directCalls.count()
      return await answer(sent)
    }
    expect(await promote(tablet)).toMatchObject({ kind: 'fresh', output: { admin: true } })
    expect(noted).toBe(1)
    const session = await tablet.session()
    expect(session && (await tablet.device.of(session).directCalls.count())).toBe(0)
  })

  it('whose answer is lost is shown as unknown, and told as done once the server says so; it is never sent again', async () => {
    const { tablet } = await signedIn(() => serverSays(200, { id: 2 }, 'done; 41'))
    tablet.line.state = 'answers lost'
    const result = await promote(tablet)
    expect(result).toMatchObject({ kind: 'problem', problem: { code: 'NEEDS_CONNECTION' } })
    await tablet.rest()
    expect(await readUnknown(tablet.device)).toMatchObject([{ intent: intentOf(result) }])
    expect(tablet.tally).not.toBe('')
    const before = writes(tablet).length
    tablet.reopen()
    tablet.line.state = 'up'
    const session = await tablet.session()
    if (session) await tablet.device.of(session).directCalls.toCollection().modify({ nextAt: 0 })
    await sendOutbox(tablet.ports, { hurry: true })
    expect(await readUnknown(tablet.device)).toEqual([])
    expect(await readReceipts(10, tablet.device)).toMatchObject([
      { intent: intentOf(result), outcome: 'done', outcomeId: '41', endpoint: 'updateCompanyUser' },
    ])
    expect(writes(tablet)).toHaveLength(before)
  })

  it('that never reached the server is kept from ever running before it is told as not done; the same form wishes anew', async () => {
    const { clock, tablet } = await signedIn(({ method }) =>
      method === 'DELETE' ? serverSays(200, { void: true }, 'refused; 5') : refusal(404, 'INTENT_UNKNOWN'),
    )
    tablet.line.state = 'down'
    const intent = intentOf(await promote(tablet))
    await tablet.rest()
    tablet.line.state = 'up'
    await clock.turn(10_000)
    await sendOutbox(tablet.ports)
    expect(
      asked(tablet)
        .slice(-2)
        .map(({ sent: { method } }) => method),
    ).toEqual(['GET', 'DELETE'])
    expect(await readReceipts(10, tablet.device)).toMatchObject([{ intent, outcome: 'void' }])
    expect(await promote(tablet, intent)).toMatchObject({ kind: 'fresh' })
    expect(writes(tablet).at(-1)?.sent.headers[headers.intent]).toBeUndefined()
  })

  it('of which its page died over is asked about when nobody can be waiting any more', async () => {
    const { clock, tablet } = await signedIn(() => serverSays(200, { id: 2 }, 'done; 41'))
    tablet.line.state = 'hanging'
    void promote(tablet)
    await clock.turn(0)
    await clock.turn(0)
    tablet.reopen()
    tablet.line.state = 'up'
    await sendOutbox(tablet.ports)
    expect(asked(tablet)).toEqual([])
    await clock.turn(50_000)
    await sendOutbox(tablet.ports)
    expect(await readReceipts(10, tablet.device)).toMatchObject([{ outcome: 'done' }])
  })

  it('asked of a server that cannot say stays unknown', async () => {
    const { clock, tablet } = await signedIn(() => refusal(503, 'UNAVAILABLE'))
    tablet.line.state = 'answers lost'
    await promote(tablet)
    tablet.line.state = 'up'
    await clock.turn(10_000)
    await sendOutbox(tablet.ports)
    expect(await readUnknown(tablet.device)).toHaveLength(1)
  })
})
