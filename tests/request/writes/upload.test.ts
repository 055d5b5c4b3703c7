import { describe, expect, it } from 'vitest'
import { updateOwnUser, uploadAsset } from '#contract/accounts.ts'
import { headers } from '#contract/headers.ts'
import { readSession } from '#local/session/session.ts'
import { readLocalFile } from '#local/outbox/files.ts'
import { createOutboxActions } from '#request/page/outbox-actions.ts'
import { createClock, createTablet, type Received, type Sent, type Tablet } from '#tests/support/device/device.ts'
import { createScripted, refusal } from '#tests/support/device/scripted.ts'

const path = '/api/m18s/asset'
/** Every byte there is, and a line that looks like the end of a form. */
const bytes = new Uint8Array([...Array(256).keys(), ...new TextEncoder().encode('\r\n--portal-x--\r\n')])
const picture = () => new File([bytes], 'me "at" work.png', { type: 'image/png' })

const stored = (sent: Sent): Received => ({
  status: 200,
  headers: {
    'content-type': 'application/json',
    [headers.requestId]: 'r-1',
    [headers.key]: sent.headers[headers.key] ?? '',
    [headers.outcome]: 'done; 7',
  },
  body: JSON.stringify({ id: 'asset-0001' }),
})

async function signedIn() {
  const clock = createClock()
  const server = createScripted(clock)
  server.script = (sent, answer) => (sent.path === path ? stored(sent) : answer())
  const tablet = createTablet((sent) => server.answer(sent), clock)
  await tablet.signIn('acme', 'user1@acme.example')
  await tablet.rest()
  return { clock, server, tablet }
}

const upload = (tablet: Tablet) => tablet.api.call(uploadAsset, { body: { avatar: picture() } })
/** Each part with what it says of itself and its bytes. */
async function formIn(sent: Sent | undefined): Promise<unknown[]> {
  const given = { headers: { 'content-type': sent?.headers['content-type'] ?? '' } }
  const form = await new Response(Buffer.from(sent?.body ?? '', 'latin1'), given).formData()
  const parts = [...form].map(async ([name, value]) =>
    typeof value === 'string'
      ? [name, value]
      : [name, value.type, value.name, new Uint8Array(await value.arrayBuffer())],
  )
  return Promise.all(parts)
}
const uploads = (tablet: Tablet) => tablet.line.log.filter(({ sent }) => sent.path === path).map(({ sent }) => sent)
const intentOf = (result: { kind: string; intent?: string }) => result.intent ?? ''

describe('a file', () => {
  it('arrives to the byte, by itself, with its key (protocol 22)', async () => {
    const { tablet } = await signedIn()
    expect(await upload(tablet)).toEqual({ kind: 'fresh', output: { id: 'asset-0001' } })
    const [sent] = uploads(tablet)
    const [file, ...others] = await formIn(sent)
    expect(others).toEqual([])
    expect(file).toEqual(['avatar', 'image/png', 'me "at" work.png', bytes])
    expect(sent?.headers[headers.key]).toBeTruthy()
    expect(await tablet.waiting()).toBe(0)
  })

  it('given without a network waits on the device, is drawn from there, and goes before what names it (protocol 22)', async () => {
    const { server, tablet } = await signedIn()
    tablet.line.state = 'down'
    const intent = intentOf(await upload(tablet))
    await tablet.api.call(updateOwnUser, { params: { id: 1 }, body: { avatar: `~${intent}` } })
    const drawn = await readLocalFile(intent, tablet.device)
    expect(new Uint8Array(drawn?.bytes ?? new ArrayBuffer(0))).toEqual(bytes)
    tablet.reopen()
    tablet.line.state = 'up'
    const before = tablet.line.log.length
    await tablet.tick()
    await tablet.rest()
    const sent = tablet.line.log.slice(before).filter(({ sent: { headers: given } }) => given[headers.key])
    expect(sent.map(({ sent: { method } }) => method)).toEqual(['POST', 'PUT'])
    expect(await tablet.waiting()).toBe(0)
    expect(server.rows.get(1)).toMatchObject({ avatar: `~${intent}` })
    // Nobody draws it any more.
    expect(await readLocalFile(intent, tablet.device)).toBeNull()
  })

  it('is the same in every attempt but for the boundary, which no fingerprint counts (protocol 2, 8)', async () => {
    const { tablet } = await signedIn()
    tablet.line.state = 'answers lost'
    await upload(tablet)
    tablet.line.state = 'up'
    await tablet.tick()
    const [first, second] = uploads(tablet)
    expect(await formIn(second)).toEqual(await formIn(first))
    const kept = [headers.key, headers.forUser, headers.intent, 'if-match']
    for (const name of kept) expect(second?.headers[name]).toBe(first?.headers[name])
    expect(second?.headers[headers.key]).toBeTruthy()
  })

  it('frozen by an older build goes with the boundary that the browser writes now', async () => {
    const { tablet } = await signedIn()
    tablet.line.state = 'answers lost'
    await upload(tablet)
    const session = await readSession(tablet.device)
    if (!session) throw new Error('nobody is signed in')
    await tablet.device
      .of(session)
      .outbox.toCollection()
      .modify((entry) => {
        if (entry.bytes) entry.bytes.headers['content-type'] = 'multipart/form-data; boundary=portal-older'
      })
    tablet.line.state = 'up'
    await tablet.tick()
    const [first, second] = uploads(tablet)
    expect(await formIn(second)).toEqual(await formIn(first))
    expect(await tablet.waiting()).toBe(0)
  })

  it('never goes in a batch (protocol 22)', async () => {
    const { clock, tablet } = await signedIn()
    tablet.line.state = 'down'
    for (let at = 0; at < 3; at++) await upload(tablet)
    tablet.line.state = 'up'
    await clock.turn(120_000)
    const before = uploads(tablet).length
    await tablet.tick()
    expect(uploads(tablet).length - before).toBe(3)
    expect(tablet.line.log.some(({ sent }) => sent.path.endsWith('/batch'))).toBe(false)
  })

  it('goes with its write when that is dropped, and a refused one leaves with its form', async () => {
    const { server, tablet } = await signedIn()
    server.script = (sent, answer) =>
      sent.path === path
        ? refusal(415, 'UNSUPPORTED_TYPE', {
            [headers.key]: sent.headers[headers.key] ?? '',
            [headers.outcome]: 'refused; 8',
          })
        : answer()
    const refused = await upload(tablet)
    expect(refused).toMatchObject({ kind: 'problem', problem: { code: 'UNSUPPORTED_TYPE' } })
    expect(await readLocalFile(intentOf(refused), tablet.device)).toBeNull()
    tablet.line.state = 'down'
    const waits = intentOf(await upload(tablet))
    await tablet.api.call(updateOwnUser, { params: { id: 1 }, body: { avatar: `~${waits}` } })
    expect(await createOutboxActions(tablet.ports).dependents(waits)).toHaveLength(1)
  })
})
