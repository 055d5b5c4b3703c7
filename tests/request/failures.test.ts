/** What a page is told when something under it fails: never a rejection, never a problem in the place of a row. */
import { expect, it } from 'vitest'
import { headers } from '#contract/headers.ts'
import { updateCompanyUser } from '#contract/users.ts'
import { handle } from '#request/pipeline/pipeline.ts'
import { signIn } from '#request/session/sign-in.ts'
import { createBrowser } from '#tests/outbox-model/browser.ts'
import { createModelServer } from '#tests/outbox-model/server.ts'
import { createClock, createTablet } from '#tests/support/device/device.ts'
import { aUser } from '#tests/support/device/device-database.ts'
import { createScripted, refusal } from '#tests/support/device/scripted.ts'

it('a device without room says so to whoever signs in, and works for nobody', async () => {
  const clock = createClock()
  const server = createModelServer(clock)
  const browser = createBrowser(
    (sent) => server.answer(sent),
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
  expect(await ports.access.read(null)).toBeNull()
  browser.disk.isFull = false
  expect((await signIn(ports, credentials)).kind).toBe('fresh')
  await browser.close()
})

it('a write done before, whose answer came by a worker that died, is told as the row (protocol 1)', async () => {
  const clock = createClock()
  const server = createScripted(clock)
  const tablet = createTablet((sent) => server.answer(sent), clock)
  await tablet.signIn('acme', 'user1@acme.example')
  const row = aUser(2, { title: 1 })
  server.script = ({ headers: given }, answer) => {
    const key = given[headers.key]
    const echo = { [headers.key]: key ?? '', [headers.outcome]: 'done; 1' }
    const data = { answer: { status: 200, headers: {}, body: row } }
    return key ? refusal(409, 'INTENT_DONE', echo, data) : answer()
  }
  tablet.ports.pipeline = async (request) => {
    await handle(request, tablet.ports)
    return Response.error()
  }
  const told = await tablet.api.call(updateCompanyUser, { params: { id: 2 }, body: { title: 1 } })
  expect(told).toEqual({ kind: 'fresh', output: row })
})
