import { describe, expect, it } from 'vitest'
import { updateOwnUser, uploadAsset } from '#contract/accounts.ts'
import { headers } from '#contract/headers.ts'
import { readSession } from '#local/session/session.ts'
import { readLocalFile } from '#local/outbox/files.ts'
import { createOutboxActions } from '#request/page/outbox-actions.ts'
import {
  createClock,
  createTablet,
  type ReceivedResponse,
  type SentRequest,
  type Tablet,
} from '#tests/support/device/device.ts'
import { createScriptedServer, buildRefusal } from '#tests/support/device/scripted-server.ts'

const path = '/api/m18s/asset'
/** Content of the test file: every possible byte, and text that looks like the end of a form. */
const bytes = new Uint8Array([...Array(256).keys(), ...new TextEncoder().encode('\r\n--portal-x--\r\n')])
const createPicture = () => new File([bytes], 'me "at" work.png', { type: 'image/png' })

const buildStoredResponse = (request: SentRequest): ReceivedResponse => ({
  status: 200,
  headers: {
    'content-type': 'application/json',
    [headers.requestId]: 'r-1',
    [headers.key]: request.headers[headers.key] ?? '',
    [headers.outcome]: 'done; 7',
  },
  body: JSON.stringify({ id: 'asset-0001' }),
})

async function openSignedInTablet() {
  const clock = createClock()
  const server = createScriptedServer(clock)
  server.script = (request, respond) => (request.path === path ? buildStoredResponse(request) : respond())
  const tablet = createTablet((request) => server.transport(request), clock)
  await tablet.signIn('acme', 'user1@acme.example')
  await tablet.settle()
  return { clock, server, tablet }
}

const uploadPicture = (tablet: Tablet) => tablet.api.call(uploadAsset, { body: { avatar: createPicture() } })
/** Returns each part with its field name, type, file name and bytes. */
async function readForm(request: SentRequest | undefined): Promise<unknown[]> {
  const formHeaders = { headers: { 'content-type': request?.headers['content-type'] ?? '' } }
  const form = await new Response(Buffer.from(request?.body ?? '', 'latin1'), formHeaders).formData()
  const parts = [...form].map(async ([name, value]) =>
    typeof value === 'string'
      ? [name, value]
      : [name, value.type, value.name, new Uint8Array(await value.arrayBuffer())],
  )
  return Promise.all(parts)
}
const findUploads = (tablet: Tablet) =>
  tablet.connection.log.filter(({ request }) => request.path === path).map(({ request }) => request)
const getIntent = (result: { kind: string; intent?: string }) => result.intent ?? ''

describe('an uploaded file', () => {
  it('arrives byte for byte, in a separate request with its key (protocol 22)', async () => {
    const { tablet } = await openSignedInTablet()
    expect(await uploadPicture(tablet)).toEqual({ kind: 'fresh', output: { id: 'asset-0001' } })
    const [uploadRequest] = findUploads(tablet)
    const [file, ...others] = await readForm(uploadRequest)
    expect(others).toEqual([])
    expect(file).toEqual(['avatar', 'image/png', 'me "at" work.png', bytes])
    expect(uploadRequest?.headers[headers.key]).toBeTruthy()
    expect(await tablet.countWaiting()).toBe(0)
  })

  it('waits offline, is readable on the device, and is sent before the write that names it (protocol 22)', async () => {
    const { server, tablet } = await openSignedInTablet()
    tablet.connection.state = 'down'
    const intent = getIntent(await uploadPicture(tablet))
    await tablet.api.call(updateOwnUser, { params: { id: 1 }, body: { avatar: `~${intent}` } })
    const localFile = await readLocalFile(intent, tablet.device)
    expect(new Uint8Array(localFile?.bytes ?? new ArrayBuffer(0))).toEqual(bytes)
    tablet.reopen()
    tablet.connection.state = 'up'
    const previousLength = tablet.connection.log.length
    await tablet.tick()
    await tablet.settle()
    const sentEntries = tablet.connection.log
      .slice(previousLength)
      .filter(({ request: { headers: requestHeaders } }) => requestHeaders[headers.key])
    expect(sentEntries.map(({ request: { method } }) => method)).toEqual(['POST', 'PUT'])
    expect(await tablet.countWaiting()).toBe(0)
    expect(server.rows.get(1)).toMatchObject({ avatar: `~${intent}` })
    // The file is no longer needed for display.
    expect(await readLocalFile(intent, tablet.device)).toBeNull()
  })

  it('is the same in every attempt except for the boundary, which is not compared (protocol 2, 8)', async () => {
    const { tablet } = await openSignedInTablet()
    tablet.connection.state = 'answers lost'
    await uploadPicture(tablet)
    tablet.connection.state = 'up'
    await tablet.tick()
    const [first, second] = findUploads(tablet)
    expect(await readForm(second)).toEqual(await readForm(first))
    const stableHeaders = [headers.key, headers.forUser, headers.intent, 'if-match']
    for (const name of stableHeaders) expect(second?.headers[name]).toBe(first?.headers[name])
    expect(second?.headers[headers.key]).toBeTruthy()
  })

  it('is sent with a new boundary of the browser, even if an older build stored another boundary', async () => {
    const { tablet } = await openSignedInTablet()
    tablet.connection.state = 'answers lost'
    await uploadPicture(tablet)
    const session = await readSession(tablet.device)
    if (!session) throw new Error('nobody is signed in')
    await tablet.device
      .getDatabase(session)
      .outbox.toCollection()
      .modify((entry) => {
        if (entry.bytes) entry.bytes.headers['content-type'] = 'multipart/form-data; boundary=portal-older'
      })
    tablet.connection.state = 'up'
    await tablet.tick()
    const [first, second] = findUploads(tablet)
    expect(await readForm(second)).toEqual(await readForm(first))
    expect(await tablet.countWaiting()).toBe(0)
  })

  it('is never sent in a batch (protocol 22)', async () => {
    const { clock, tablet } = await openSignedInTablet()
    tablet.connection.state = 'down'
    for (let index = 0; index < 3; index++) await uploadPicture(tablet)
    tablet.connection.state = 'up'
    await clock.advance(120_000)
    const previousUploads = findUploads(tablet).length
    await tablet.tick()
    expect(findUploads(tablet).length - previousUploads).toBe(3)
    expect(tablet.connection.log.some(({ request }) => request.path.endsWith('/batch'))).toBe(false)
  })

  it('is deleted with its refused form, and the writes that name a waiting file are found', async () => {
    const { server, tablet } = await openSignedInTablet()
    server.script = (request, respond) =>
      request.path === path
        ? buildRefusal(415, 'UNSUPPORTED_TYPE', {
            [headers.key]: request.headers[headers.key] ?? '',
            [headers.outcome]: 'refused; 8',
          })
        : respond()
    const refusedResult = await uploadPicture(tablet)
    expect(refusedResult).toMatchObject({ kind: 'problem', problem: { code: 'UNSUPPORTED_TYPE' } })
    expect(await readLocalFile(getIntent(refusedResult), tablet.device)).toBeNull()
    tablet.connection.state = 'down'
    const waitingIntent = getIntent(await uploadPicture(tablet))
    await tablet.api.call(updateOwnUser, { params: { id: 1 }, body: { avatar: `~${waitingIntent}` } })
    expect(await createOutboxActions(tablet.ports).findDependents(waitingIntent)).toHaveLength(1)
  })
})
