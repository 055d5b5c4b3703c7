/** Backups as they are made, listed, restored and suspended on the screen (contracts 6, 9; M130; D41, D89, Z-26), over a real host. */
import { screen } from '@testing-library/dom'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { addYears } from '#domain/period.ts'
import { backupKinds, hostingKinds, restoreKinds } from '#server/jobs/registry.ts'
import { workOne } from '#server/jobs/runner.ts'
import { type BackedUp, backUpNow, openBackups, workAll } from '#tests/support/hosting/backed-up.ts'
import { backupOf, serviceIdOf } from '#tests/support/hosting/backups.ts'
import { button, described, named, typeConfirmation } from '#tests/support/pages/fields.ts'
import { itemsOf, putItems } from '#tests/support/hosting/instance-items.ts'
import { healthy } from '#tests/support/hosting/hosting.ts'
import type { SignedIn } from '#tests/support/server/server.ts'
import { bought } from '#tests/support/orders/shop-data.ts'
import { handsOn, setUpShopPages, today } from '#tests/support/pages/shop-pages.ts'
import { nightly } from '#tests/support/runner/nightly.ts'

const the = setUpShopPages()
const { press, dialog, noDialog, says } = handsOn(the)
let backed: BackedUp
let acme: SignedIn
afterEach(() => backed.end())
beforeEach(async () => {
  backed = openBackups(the.server)
  acme = await the.server.signIn('admin@acme')
})

interface Made {
  /** Of the order's page, and of the service. */
  page: number
  id: number
}

/** Bought from today on, with a system that runs. */
async function create(code: string): Promise<Made> {
  const { server } = the
  const made = await bought(server, acme, { code, name: `Test ${code}`, period_start: today() })
  await acme.send({ method: 'POST', url: `/api/aws/service?contractId=${made.contract_id}` })
  while (await workOne(server.app, hostingKinds));
  server.clock.now = Date.now()
  const id = await serviceIdOf(server, code)
  await healthy(server.app.hosting, { serviceId: id, code })
  return { page: made.id, id }
}
/** The same, subscribed to both kinds, with items in it. */
async function backedUp(code: string): Promise<Made> {
  const made = await create(code)
  for (const pdb_type of ['pdb2s3', 'pdb2rds'] as const)
    await backupOf(the.server, code, { pdb_type, period_start: today(), period_end: addYears(today(), 1) })
  putItems(backed.host, code, made.id, ['first', 'second'])
  return made
}
const tabOf = ({ page }: Made) => `/app/contract/${page}?tab=subscribe`
const listed = () =>
  [...screen.getByRole('table', { name: /^Backups of/ }).querySelectorAll('tbody tr')].map((row) =>
    [...row.children].map(({ textContent }) => textContent),
  )
/** The server's own work, once it was asked for. */
async function work() {
  const { app, clock } = the.server
  const some = async () => (await workOne(app, backupKinds)) || (await workOne(app, restoreKinds))
  await expect.poll(some, { interval: 50 }).toBeTruthy()
  await workAll(the.server)
  clock.now = Date.now()
}

it('makes a backup now: how long it takes, how far it is, what it came to and by whom (M130)', async () => {
  const made = await backedUp('makes')
  await the.browser.openAs('admin@acme', tabOf(made))
  await screen.findByRole('heading', { level: 2, name: 'No backups yet' })
  await press('Back up now')
  const ask = await dialog('Back up makes now?')
  await ask.findByText('A backup takes about 5 minutes.', { exact: false })
  await ask.findByText('A backup to S3 counts as traffic.')
  await the.user.click(ask.getByLabelText('Backup to RDS'))
  await expect.poll(() => ask.queryByText('A backup to S3 counts as traffic.')).toBeNull()
  await ask.press('Back up now')
  await noDialog()
  await says('A backup is being made: Backup to RDS.')
  await work()
  await says('makes: the backup is made.')
  // The row follows by its own question to the server, after what the tab says.
  await expect.poll(() => listed().map((row) => row[3])).toEqual(['Done'])
  const [[time, size, duration, , who] = []] = listed()
  expect(time).toMatch(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\dBackup to RDS$/)
  expect([size, duration]).toEqual([expect.stringMatching(/^\d+(\.\d)? k?B$/), expect.stringMatching(/ s$/)])
  expect(who).toContain('Chan')
  await says('The newest 30 of each kind, for 90 days')
  await says('None yet')
  await expect.poll(() => screen.queryByText(/^A backup is being made/)).toBeNull()
}, 90_000)

nightly(
  'restores one into its own service, once its code was typed: what came since is gone',
  async () => {
    const made = await backedUp('restores')
    await bought(the.server, acme, { code: 'nosystem', name: 'Empty', period_start: today() })
    expect((await backUpNow(the.server, acme, made.id)).status).toBe(200)
    the.server.clock.now = Date.now()
    putItems(backed.host, 'restores', made.id, ['later'])
    await the.browser.openAs('admin@acme', tabOf(made))
    await press(/^Restore the backup of/)
    const ask = await dialog(/^Restore the backup of \d{4}/)
    await ask.findByText(
      /^All current data of restores \(Test restores\) is overwritten by this backup of restores from/,
    )
    // Others of the company are offered, and say why they cannot take it.
    const offered = (name: RegExp) => {
      const one = ask.getByLabelText(name)
      return [(one as HTMLInputElement).disabled, described(one)]
    }
    await expect.poll(() => offered(/^acmetest/)).toEqual([false, ''])
    await expect.poll(() => offered(/^nosystem/)).toEqual([true, 'The system is not set up.'])
    await ask.press('Overwrite and restore')
    await ask.findAllByText('Input Error!')
    expect(itemsOf(backed.host, 'restores', made.id)).toEqual(['later'])
    await typeConfirmation(the.user, 'restores')
    await ask.press('Overwrite and restore')
    await noDialog()
    await says('A backup is being restored into restores.')
    await work()
    await screen.findByText(/^restores: the backup of .* is restored\.$/)
    expect(itemsOf(backed.host, 'restores', made.id)).toEqual(['first', 'second'])
    await says('Last restores into this service')
    await expect
      .poll(() => document.querySelector('.backup-restores')?.textContent)
      .toMatch(/of restores · Restored · /)
  },
  90_000,
)

it('restores into another service of the company: what is lost is said of that one, and its code is typed', async () => {
  const made = await backedUp('source')
  await backUpNow(the.server, acme, made.id)
  const target = await create('target')
  putItems(backed.host, 'target', target.id, ['old'])
  await the.browser.openAs('admin@acme', tabOf(made))
  await press(/^Restore the backup of/)
  const ask = await dialog(/^Restore the backup of/)
  await the.user.click(await ask.findByLabelText(/^target/))
  await ask.findByText(/^All current data of target \(Test target\) is/)
  await ask.findByText('This replaces the data of another service than the backup is of.')
  await typeConfirmation(the.user, 'source')
  await ask.press('Overwrite and restore')
  await ask.findByText('Input Error!')
  await typeConfirmation(the.user, 'target')
  await ask.press('Overwrite and restore')
  await noDialog()
  await work()
  await expect.poll(() => itemsOf(backed.host, 'target', target.id)).toEqual(['first', 'second'])
}, 120_000)

nightly(
  'says what failed, on the tab and on home, and why such a one cannot be restored',
  async () => {
    const made = await backedUp('fails')
    backed.places.fails = 'refused'
    await the.browser.openAs('admin@acme', tabOf(made))
    await press('Back up now')
    await (await dialog('Back up fails now?')).press('Back up now')
    await work()
    await says('fails: the backup failed. The backup storage refused access.')
    await says('The newest backup failed: Backup to S3.')
    await says('The backup storage refused access. It is tried again at the next run.')
    // The row follows by its own question to the server, after what the tab says.
    await expect.poll(() => listed().map((row) => row[3])).toEqual(['FailedThe backup storage refused access.'])
    await expect
      .poll(() => described(button(/^Restore the backup of/)))
      .toBe('Only a backup that is done and still stored can be restored.')
    await the.browser.open('/app/home')
    const link = await screen.findByRole('link', {
      name: /^Review The newest backup of Test fails failed: Backup to S3/,
    })
    expect(link.getAttribute('href')).toBe(`/saas/app/contract/${made.page}?tab=subscribe`)
    await the.user.click(link)
    await says('The newest backup failed: Backup to S3.')
  },
  90_000,
)

nightly(
  'suspends traffic by the staff, on the page of the service: the customer sees it, and archives stay where they are',
  async () => {
    const made = await backedUp('stops')
    await backUpNow(the.server, acme, made.id)
    await the.browser.openAs('delete@m18', `/app/service/${made.id}`)
    await screen.findByRole('heading', { name: 'Backups' })
    await press('Suspend traffic')
    const ask = await dialog('Suspend the backup traffic of stops?')
    await ask.press('Suspend traffic')
    await noDialog()
    await says('The provider has suspended backups to S3.')
    await expect
      .poll(() => described(button(/^Restore the backup of/)))
      .toMatch(/^The traffic of the service is suspended/)
    await press('Back up now')
    const choices = await dialog('Back up stops now?')
    const s3 = await choices.findByLabelText('Backup to S3', { exact: false })
    await expect
      .poll(() => [(s3 as HTMLInputElement).disabled, described(s3)])
      .toEqual([true, 'Its traffic is suspended.'])
    expect(named('backup-type').form).toBeNull()
    await choices.press('Cancel')

    await the.browser.openAs('admin@acme', tabOf(made))
    await says('The provider has suspended backups to S3.')
    await expect.poll(() => document.querySelector('.backup-card .tag')?.textContent).toBe('Traffic disabled')
    expect(screen.queryByRole('button', { name: /traffic$/ })).toBeNull()
    await the.browser.openAs('delete@m18', `/app/service/${made.id}`)
    await press('Allow traffic')
    await (await dialog('Allow the backup traffic of stops again?')).press('Allow traffic')
    await expect.poll(() => screen.queryByText(/^The provider has suspended/)).toBeNull()
  },
  120_000,
)

nightly(
  'without a line shows what is here, and says of each act that it needs one',
  async () => {
    const made = await backedUp('away')
    for (let at = 0; at < 6; at += 1) await backUpNow(the.server, acme, made.id, at % 2 ? 'pdb2rds' : 'pdb2s3')
    await the.browser.openAs('admin@acme', tabOf(made))
    await expect.poll(listed).toHaveLength(5)
    await press('Page 2')
    await expect.poll(listed).toHaveLength(1)
    the.browser.goOffline()
    await the.browser.open(tabOf(made))
    await expect.poll(listed).toHaveLength(5)
    expect(document.querySelector('.problem')).toBeNull()
    await says('The newest 30 of each kind, for 90 days')
    const needs = 'This needs a connection.'
    await expect.poll(() => described(button('Back up now'))).toBe(needs)
    const restores = () => screen.getAllByRole('button', { name: /^Restore the backup of/ }).map(described)
    await expect.poll(restores).toEqual(Array.from({ length: 5 }, () => needs))
  },
  120_000,
)
