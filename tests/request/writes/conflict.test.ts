import { expect, it } from 'vitest'
import { headers } from '#contract/headers.ts'
import { updateCompanyUser } from '#contract/users.ts'
import { createOutboxActions } from '#request/page/outbox-actions.ts'
import { createClock, createTablet } from '#tests/support/device.ts'
import { aUser } from '#tests/support/device-database.ts'
import { createScripted, refusal } from '#tests/support/scripted.ts'

const row = aUser(2, { title: 2, row_version: 7, update_time: '2026-05-01 09:00:00' })

async function conflict(told: object) {
  const clock = createClock()
  const server = createScripted(clock)
  const tablet = createTablet((sent) => server.answer(sent), clock)
  await tablet.signIn('acme', 'user1@acme.example')
  server.script = (sent, answer) => {
    const key = sent.headers[headers.key]
    const stored = { [headers.key]: key ?? '', [headers.outcome]: 'refused; 9' }
    return key ? refusal(412, 'VERSION_CONFLICT', stored, { current: row, ...told }) : answer()
  }
  const base = { rowVersion: 3, values: { title: 0 } }
  const asked = await tablet.api.call(updateCompanyUser, { params: { id: 2 }, body: { title: 1 } }, { base })
  return await createOutboxActions(tablet.ports).compare(asked.kind === 'problem' ? (asked.intent ?? '') : '')
}

it('a conflict names who changed the row last, as the 412 says it', async () => {
  const compared = await conflict({ changed_by: { id: 5, name: 'Editor' } })
  expect(compared).toMatchObject({ who: 'Editor', isOwn: false, when: '2026-05-01 09:00:00', fields: ['title'] })
})

it.each([{}, { changed_by: null }, { changed_by: 'x' }])(
  'where nobody knows who it was, it says only when',
  async (told) => {
    expect(await conflict(told)).toMatchObject({ who: null, isOwn: false, when: '2026-05-01 09:00:00' })
  },
)

it('a write that waits for a lock says whose, and for what, as the server says it (M49)', async () => {
  const clock = createClock()
  const server = createScripted(clock)
  const tablet = createTablet((sent) => server.answer(sent), clock)
  await tablet.signIn('acme', 'user1@acme.example')
  server.script = (sent, answer) => {
    const key = sent.headers[headers.key]
    return key ? refusal(423, 'RESOURCE_LOCKED', { [headers.key]: key }, { user: 'Wei', action: 'backup' }) : answer()
  }
  await tablet.api.call(updateCompanyUser, { params: { id: 2 }, body: { title: 1 } })
  for (let round = 0; round < 4; round++) {
    await clock.turn(60_000)
    await tablet.tick()
  }
  const [entry] = await tablet.entries()
  const waits = await createOutboxActions(tablet.ports).whyWaits(entry?.intent ?? '')
  expect(waits).toMatchObject({ why: 'locked', who: 'Wei', what: 'backup' })
})
