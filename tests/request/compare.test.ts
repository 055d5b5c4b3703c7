import { expect, it } from 'vitest'
import { headers } from '#contract/headers.ts'
import { updateCompanyUser } from '#contract/users.ts'
import { outboxDesk } from '#request/desk.ts'
import { createClock, createTablet, type Received } from '#tests/support/device.ts'
import { aUser } from '#tests/support/kept.ts'
import { createScripted, refusal } from '#tests/support/scripted.ts'

const row = aUser(2, { title: 2, row_version: 7, update_time: '2026-05-01 09:00:00' })
const touched = (id: number, given: object = {}) => ({
  exec_user_name: `Editor ${id}`,
  end_time: '2026-05-01 09:00:00',
  status: 0,
  info: { UserName: row.name, UserId: id },
  ...given,
})
const trail = (data: object[]): Received => ({
  status: 200,
  headers: { 'content-type': 'application/json', [headers.requestId]: 'r-1' },
  body: JSON.stringify({ count: data.length, data }),
})

async function conflict(answerTrail: () => Received) {
  const clock = createClock()
  const server = createScripted(clock)
  const tablet = createTablet((sent) => server.answer(sent), clock)
  await tablet.signIn('acme', 'user1@acme.example')
  server.script = (sent, answer) => {
    if (sent.path.startsWith('/api/systrail')) return answerTrail()
    const key = sent.headers[headers.key]
    const stored = { [headers.key]: key ?? '', [headers.outcome]: 'refused; 9' }
    return key ? refusal(412, 'VERSION_CONFLICT', stored, { current: row }) : answer()
  }
  const base = { rowVersion: 3, values: { title: 0 } }
  const asked = await tablet.api.ask(updateCompanyUser, { params: { id: 2 }, body: { title: 1 } }, { base })
  return await outboxDesk(tablet.ports).compare(asked.kind === 'problem' ? (asked.intent ?? '') : '')
}

it('a conflict names who changed the row last, as the trail has it: not another of the same name, not who failed', async () => {
  const failed = touched(2, { status: -1, exec_user_name: 'Failed' })
  const compared = await conflict(() => trail([touched(5), failed, touched(2)]))
  expect(compared).toMatchObject({ who: 'Editor 2', when: '2026-05-01 09:00:00', fields: ['title'] })
})

it('where the trail is not for its reader, it says only when', async () => {
  expect(await conflict(() => refusal(403, 'FORBIDDEN'))).toMatchObject({ who: null, when: '2026-05-01 09:00:00' })
})

it('a write that waits for a lock says whose, and for what, as the server says it (M49)', async () => {
  const clock = createClock()
  const server = createScripted(clock)
  const tablet = createTablet((sent) => server.answer(sent), clock)
  await tablet.signIn('acme', 'user1@acme.example')
  server.script = (sent, answer) => {
    const key = sent.headers[headers.key]
    return key ? refusal(423, 'RESOURCE_LOCKED', { [headers.key]: key }, { user: 'Wei', action: 'backup' }) : answer()
  }
  await tablet.api.ask(updateCompanyUser, { params: { id: 2 }, body: { title: 1 } })
  for (let round = 0; round < 4; round++) {
    await clock.turn(60_000)
    await tablet.tick()
  }
  const [entry] = await tablet.entries()
  const waits = await outboxDesk(tablet.ports).whyWaits(entry?.intent ?? '')
  expect(waits).toMatchObject({ why: 'locked', who: 'Wei', what: 'backup' })
})
