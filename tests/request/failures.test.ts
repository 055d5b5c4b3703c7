/** Tests what a page gets when a layer below it fails: never a rejected promise, and never a problem in place of a row. */
import { expect, it } from 'vitest'
import { headers } from '#contract/headers.ts'
import { createUser, updateCompanyUser } from '#contract/users.ts'
import { handleRequest } from '#request/pipeline/pipeline.ts'
import { signIn } from '#request/session/sign-in.ts'
import { createBrowser } from '#tests/outbox-model/browser.ts'
import { createModelServer } from '#tests/outbox-model/server.ts'
import { createClock, createTablet } from '#tests/support/device/device.ts'
import { buildUser } from '#tests/support/device/device-database.ts'
import { createScriptedServer, buildRefusal } from '#tests/support/device/scripted-server.ts'

it('Signing in on a full disk returns STORAGE_FAILED and signs nobody in', async () => {
  const clock = createClock()
  const server = createModelServer(clock)
  const browser = createBrowser(
    (request) => server.respond(request),
    clock,
    () => crypto.randomUUID(),
  )
  const { ports } = browser.tabs[0] ?? expect.fail('no tab')
  browser.disk.isFull = true
  const credentials = {
    company: 'acme',
    username: 'user1@acme.example',
    password: 'Portal-demo-1',
    language: 'en',
  } as const
  expect(await signIn(ports, credentials)).toMatchObject({ kind: 'problem', problem: { code: 'STORAGE_FAILED' } })
  expect(await ports.tokenAccess.read(null)).toBeNull()
  browser.disk.isFull = false
  expect((await signIn(ports, credentials)).kind).toBe('fresh')
  await browser.close()
})

it('A write that was done before its worker died returns the row (protocol 1)', async () => {
  const clock = createClock()
  const server = createScriptedServer(clock)
  const tablet = createTablet((request) => server.transport(request), clock)
  await tablet.signIn('acme', 'user1@acme.example')
  const row = buildUser(2, { title: 1 })
  server.script = ({ headers: requestHeaders }, respond) => {
    const key = requestHeaders[headers.key]
    const echo = { [headers.key]: key ?? '', [headers.outcome]: 'done; 1' }
    const data = { answer: { status: 200, headers: {}, body: row } }
    return key ? buildRefusal(409, 'INTENT_DONE', echo, data) : respond()
  }
  tablet.ports.pipeline = async (request) => {
    await handleRequest(request, tablet.ports)
    return Response.error()
  }
  const result = await tablet.api.call(updateCompanyUser, { params: { id: 2 }, body: { title: 1 } })
  expect(result).toEqual({ kind: 'fresh', output: row })
})

it('The response inside INTENT_DONE gives the id of a row that was created before (protocol 1)', async () => {
  const clock = createClock()
  const server = createScriptedServer(clock)
  const tablet = createTablet((request) => server.transport(request), clock)
  await tablet.signIn('acme', 'user1@acme.example')
  const row = buildUser(77)
  server.script = ({ method, headers: requestHeaders }, respond) => {
    if (method !== 'POST') return respond()
    const echo = { [headers.key]: requestHeaders[headers.key] ?? '', [headers.outcome]: 'done; 1' }
    return buildRefusal(409, 'INTENT_DONE', echo, { answer: { status: 201, headers: {}, body: row } })
  }
  const { title, name, email, admin, order, alert } = row
  await tablet.api.call(createUser, { body: { title, name, email, admin, order, alert } })
  await tablet.settle()
  const session = (await tablet.session()) ?? expect.fail('no session')
  const db = tablet.device.getDatabase(session)
  expect(await db.outbox.count()).toBe(0)
  expect(await db.rowIds.toArray()).toMatchObject([{ kind: 'user', id: 77 }])
})
