/** Tests that the trail page warns if the log was changed after this device read it, even if no range was saved. */
import { screen } from '@testing-library/dom'
import { sql } from 'kysely'
import { afterEach, expect, it } from 'vitest'
import { checkCompleteLogs } from '#server/use-cases/audit/check-complete-logs.ts'
import { integrate } from '#server/use-cases/audit/integrate.ts'
import { bypassPolicies } from '#tests/support/server/database.ts'
import { setUpPages } from '#tests/support/pages/screen.ts'
import { writeEntries } from '#tests/support/audit-trail/trail-entries.ts'

const fixture = setUpPages()
const readAlarm = () => document.querySelector('.problem[role=alert]')?.textContent
const path = '/app/systrail?dateFrom=2026-01-10&dateTo=2026-01-11'
// The server process remembers its findings until a check finds the log valid. The reset log is valid, so this check clears them.
afterEach(async () => {
  await fixture.server.reset()
  await checkCompleteLogs(fixture.server.app)
})

async function readCheckpointSize(): Promise<number | undefined> {
  const { getThisDevice } = await import('#local/storage/device.ts')
  const [subject] = await getThisDevice().directory.occupants.toArray()
  const company = fixture.server.world.companies.alpha
  return subject && (await getThisDevice().getDatabase(subject).logCheckpoints.get(company))?.size
}

it('The warning about a log that was cut since an earlier visit explains what to do, in both languages (fault 13c)', async () => {
  await writeEntries(
    fixture.server,
    {
      time: '2026-01-10 09:00:00',
      userName: 'admin@alpha',
      code: 'user',
      operation: 'update',
      info: { UserName: 'Mei Lin' },
    },
    {
      time: '2026-01-11 10:00:00',
      userName: 'admin@alpha',
      code: 'user',
      operation: 'create',
      info: { UserName: 'Tom' },
    },
  )
  await integrate(fixture.server.app)
  await fixture.browser.openAs('admin@alpha', path)
  await screen.findByText('2 entries')
  await expect.poll(readCheckpointSize).toBeGreaterThan(1)
  expect(readAlarm()).toBeUndefined()
  await bypassPolicies(fixture.server.app.database, async (db) => {
    const company = fixture.server.world.companies.alpha
    await sql`delete from audit_leaf where company_id = ${company}`.execute(db)
    await sql`delete from audit_tile where company_id = ${company}`.execute(db)
    await sql`delete from audit_checkpoint where company_id = ${company}`.execute(db)
  })
  await fixture.browser.open(path)
  await expect
    .poll(readAlarm)
    .toMatch(/^The audit trail has been changed. Entries 0 to \d+ are missing: the log was cut./)
  expect(readAlarm()).toContain("don't clear this site's data")
  // The entries stay readable below the warning.
  await screen.findByText('2 entries')
  const { i18n } = await import('#ui/i18n/messages.ts')
  await i18n.changeLanguage('zh')
  await expect.poll(readAlarm).toMatch(/^操作记录已被改动。 第 0 至 \d+ 条记录已丢失/)
  expect(readAlarm()).toContain('不要清除本网站的数据')
  await i18n.changeLanguage('en')
})

it('The home page of the provider reports a customer whose log was changed, with a link (fault 13h)', async () => {
  const company = fixture.server.world.companies.alpha
  const writtenEntry = {
    userName: 'admin@alpha',
    code: 'user',
    operation: 'update',
    info: { UserName: 'Mei Lin' },
  } as const
  await writeEntries(fixture.server, { ...writtenEntry, time: '2026-01-10 09:00:00' })
  await integrate(fixture.server.app)
  await bypassPolicies(fixture.server.app.database, async (db) => {
    await sql`insert into audit_entry (company_id, code, operation, exec_user_name, end_time, status, info, request_id, search, leaf)
      select company_id, code, operation, exec_user_name, end_time, status, info, request_id, search, leaf from audit_entry
      where company_id = ${company} limit 1`.execute(db)
    await sql`insert into audit_pending (entry_id, company_id) select max(id), company_id from audit_entry
      where company_id = ${company} group by company_id`.execute(db)
  })
  expect(await integrate(fixture.server.app)).toBe(0)
  await fixture.browser.openAs('admin@m18', '/app/home')
  await screen.findAllByText(/^The audit trail of ALPHA-\w+ Ltd has been changed\.$/, {}, { timeout: 15_000 })
  screen.getByText(/not written by the portal\. No more of its entries are signed/)
  const openLink = screen.getByRole('link', { name: /^Open audit trail/ })
  expect(openLink.getAttribute('href')).toMatch(new RegExp(`/app/systrail\\?company=${company}$`))
})
