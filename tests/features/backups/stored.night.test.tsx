/** Tests creating, listing, restoring and suspending backups (contracts 6, 9; M130; D41, D89, Z-26), with a real host. */
import { screen } from '@testing-library/dom'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { addYears } from '#domain/plain-dates.ts'
import { backupJobKinds, hostingJobKinds, restoreJobKinds } from '#server/jobs/job-registry.ts'
import { runOneJob } from '#server/jobs/runner.ts'
import { type BackupFixture, backUpNow, openBackups, workAll } from '#tests/support/hosting/backup-fixture.ts'
import { createBackupOrder, readServiceId } from '#tests/support/hosting/backups.ts'
import { getButton, readDescription, getNamedField, typeConfirmation } from '#tests/support/pages/fields.ts'
import { readItems, putItems } from '#tests/support/hosting/instance-items.ts'
import { waitUntilHealthy } from '#tests/support/hosting/hosting.ts'
import type { SignedIn } from '#tests/support/server/server.ts'
import { buyOrder } from '#tests/support/orders/shop-data.ts'
import { createUserActions, setUpShopPages, today } from '#tests/support/pages/shop-pages.ts'
import { nightly } from '#tests/support/runner/nightly.ts'

const fixture = setUpShopPages()
const { press, dialog, noDialog, findText } = createUserActions(fixture)
let backups: BackupFixture
let acmeSession: SignedIn
afterEach(() => backups.end())
beforeEach(async () => {
  backups = openBackups(fixture.server)
  acmeSession = await fixture.server.signIn('admin@acme')
})

interface TestContract {
  orderId: number
  serviceId: number
}

/** Buys a contract that starts today, and creates its service. */
async function createContract(code: string): Promise<TestContract> {
  const { server } = fixture
  const order = await buyOrder(server, acmeSession, { code, name: `Test ${code}`, period_start: today() })
  await acmeSession.send({ method: 'POST', url: `/api/aws/service?contractId=${order.contract_id}` })
  while (await runOneJob(server.app, hostingJobKinds));
  server.clock.now = Date.now()
  const id = await readServiceId(server, code)
  await waitUntilHealthy(server.app.hosting, { serviceId: id, code })
  return { orderId: order.id, serviceId: id }
}
/** Creates a contract, subscribes it to both kinds of backup, and stores items in its service. */
async function createSubscribedContract(code: string): Promise<TestContract> {
  const contract = await createContract(code)
  for (const pdb_type of ['pdb2s3', 'pdb2rds'] as const)
    await createBackupOrder(fixture.server, code, { pdb_type, period_start: today(), period_end: addYears(today(), 1) })
  putItems(backups.host, code, contract.serviceId, ['first', 'second'])
  return contract
}
const getTabPath = ({ orderId: page }: TestContract) => `/app/contract/${page}?tab=subscribe`
const readListedBackups = () =>
  [...screen.getByRole('table', { name: /^Backups of/ }).querySelectorAll('tbody tr')].map((row) =>
    [...row.children].map(({ textContent }) => textContent),
  )
/** Runs the queued backup and restore jobs of the server. */
async function runServerWork() {
  const { app, clock } = fixture.server
  const runOne = async () => (await runOneJob(app, backupJobKinds)) || (await runOneJob(app, restoreJobKinds))
  await expect.poll(runOne, { interval: 50 }).toBeTruthy()
  await workAll(fixture.server)
  clock.now = Date.now()
}

it('"Back up now" shows duration, progress, size and user of the backup (M130)', async () => {
  const contract = await createSubscribedContract('makes')
  await fixture.browser.openAs('admin@acme', getTabPath(contract))
  await screen.findByRole('heading', { level: 2, name: 'No backups yet' })
  await press('Back up now')
  const confirmDialog = await dialog('Back up makes now?')
  await confirmDialog.findByText('A backup takes about 5 minutes.', { exact: false })
  await confirmDialog.findByText('A backup to S3 counts as traffic.')
  await fixture.user.click(confirmDialog.getByLabelText('Backup to RDS'))
  await expect.poll(() => confirmDialog.queryByText('A backup to S3 counts as traffic.')).toBeNull()
  await confirmDialog.press('Back up now')
  await noDialog()
  await findText('A backup is being made: Backup to RDS.')
  await runServerWork()
  await findText('makes: the backup is done.')
  // The row is updated by a separate request, after the message is shown.
  await expect.poll(() => readListedBackups().map((row) => row[3])).toEqual(['Done'])
  const [[time, size, duration, , requestedBy] = []] = readListedBackups()
  expect(time).toMatch(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\dBackup to RDS$/)
  expect([size, duration]).toEqual([expect.stringMatching(/^\d+(\.\d)? k?B$/), expect.stringMatching(/ s$/)])
  expect(requestedBy).toContain('Chan')
  await findText('The latest 30 of each kind, for 90 days')
  await findText('None yet')
  await expect.poll(() => screen.queryByText(/^A backup is being made/)).toBeNull()
}, 90_000)

nightly(
  'A restore into the same service requires the typed service code, and removes later data',
  async () => {
    const contract = await createSubscribedContract('restores')
    await buyOrder(fixture.server, acmeSession, { code: 'nosystem', name: 'Empty', period_start: today() })
    expect((await backUpNow(fixture.server, acmeSession, contract.serviceId)).status).toBe(200)
    fixture.server.clock.now = Date.now()
    putItems(backups.host, 'restores', contract.serviceId, ['later'])
    await fixture.browser.openAs('admin@acme', getTabPath(contract))
    await press(/^Restore the backup of/)
    const restoreDialog = await dialog(/^Restore the backup of \d{4}/)
    await restoreDialog.findByText(
      /^This backup of restores from .* overwrites all current data of restores \(Test restores\)\./,
    )
    // Other services of the company are listed, disabled ones with the reason.
    const readChoice = (name: RegExp) => {
      const radio = restoreDialog.getByLabelText(name)
      return [(radio as HTMLInputElement).disabled, readDescription(radio)]
    }
    await expect.poll(() => readChoice(/^acmetest/)).toEqual([false, ''])
    await expect.poll(() => readChoice(/^nosystem/)).toEqual([true, 'The system is not set up.'])
    await restoreDialog.press('Overwrite and restore')
    await restoreDialog.findAllByText('Input Error!')
    expect(readItems(backups.host, 'restores', contract.serviceId)).toEqual(['later'])
    await typeConfirmation(fixture.user, 'restores')
    await restoreDialog.press('Overwrite and restore')
    await noDialog()
    await findText('A backup is being restored into restores.')
    await runServerWork()
    await screen.findByText(/^restores: the backup of .* is restored\.$/)
    expect(readItems(backups.host, 'restores', contract.serviceId)).toEqual(['first', 'second'])
    await findText('Last restores into this service')
    await expect
      .poll(() => document.querySelector('.backup-restores')?.textContent)
      .toMatch(/of restores · Restored · /)
  },
  90_000,
)

it('A restore into another service shows what that service loses, and requires the code of that service', async () => {
  const source = await createSubscribedContract('source')
  await backUpNow(fixture.server, acmeSession, source.serviceId)
  const targetContract = await createContract('target')
  putItems(backups.host, 'target', targetContract.serviceId, ['old'])
  await fixture.browser.openAs('admin@acme', getTabPath(source))
  await press(/^Restore the backup of/)
  const restoreDialog = await dialog(/^Restore the backup of/)
  await fixture.user.click(await restoreDialog.findByLabelText(/^target/))
  await restoreDialog.findByText(/overwrites all current data of target \(Test target\)/)
  await restoreDialog.findByText('This backup is from another service. It replaces the data of the target service.')
  await typeConfirmation(fixture.user, 'source')
  await restoreDialog.press('Overwrite and restore')
  await restoreDialog.findByText('Input Error!')
  await typeConfirmation(fixture.user, 'target')
  await restoreDialog.press('Overwrite and restore')
  await noDialog()
  await runServerWork()
  await expect.poll(() => readItems(backups.host, 'target', targetContract.serviceId)).toEqual(['first', 'second'])
}, 120_000)

nightly(
  'A failed backup is shown on the backup tab and on the home page, with why it cannot be restored',
  async () => {
    const contract = await createSubscribedContract('fails')
    backups.places.fault = 'refused'
    await fixture.browser.openAs('admin@acme', getTabPath(contract))
    await press('Back up now')
    await (await dialog('Back up fails now?')).press('Back up now')
    await runServerWork()
    await findText('fails: the backup failed. The backup storage refused access.')
    await findText('The latest backup failed: Backup to S3.')
    await findText('The backup storage refused access. It is tried again at the next run.')
    // The row is updated by a separate request, after the message is shown.
    await expect
      .poll(() => readListedBackups().map((row) => row[3]))
      .toEqual(['FailedThe backup storage refused access.'])
    await expect
      .poll(() => readDescription(getButton(/^Restore the backup of/)))
      .toBe('Only a backup that is done and still stored can be restored.')
    await fixture.browser.open('/app/home')
    const link = await screen.findByRole('link', {
      name: /^Review The latest backup of Test fails failed: Backup to S3/,
    })
    expect(link.getAttribute('href')).toBe(`/saas/app/contract/${contract.orderId}?tab=subscribe`)
    await fixture.user.click(link)
    await findText('The latest backup failed: Backup to S3.')
  },
  90_000,
)

nightly(
  'Staff suspends the traffic on the service page, the customer sees it, and archives are kept',
  async () => {
    const contract = await createSubscribedContract('stops')
    await backUpNow(fixture.server, acmeSession, contract.serviceId)
    await fixture.browser.openAs('delete@m18', `/app/service/${contract.serviceId}`)
    await screen.findByRole('heading', { name: 'Backups' })
    await press('Suspend traffic')
    const confirmDialog = await dialog('Suspend the backup traffic of stops?')
    await confirmDialog.press('Suspend traffic')
    await noDialog()
    await findText('The provider has suspended backups to S3.')
    await expect
      .poll(() => readDescription(getButton(/^Restore the backup of/)))
      .toMatch(/^The traffic of the service is suspended/)
    await press('Back up now')
    const backupDialog = await dialog('Back up stops now?')
    const s3 = await backupDialog.findByLabelText('Backup to S3', { exact: false })
    await expect
      .poll(() => [(s3 as HTMLInputElement).disabled, readDescription(s3)])
      .toEqual([true, 'Its traffic is suspended.'])
    expect(getNamedField('backup-type').form).toBeNull()
    await backupDialog.press('Cancel')

    await fixture.browser.openAs('admin@acme', getTabPath(contract))
    await findText('The provider has suspended backups to S3.')
    await expect.poll(() => document.querySelector('.backup-card .tag')?.textContent).toBe('Traffic disabled')
    expect(screen.queryByRole('button', { name: /traffic$/ })).toBeNull()
    await fixture.browser.openAs('delete@m18', `/app/service/${contract.serviceId}`)
    await press('Allow traffic')
    await (await dialog('Allow the backup traffic of stops again?')).press('Allow traffic')
    await expect.poll(() => screen.queryByText(/^The provider has suspended/)).toBeNull()
  },
  120_000,
)

nightly(
  'Offline, the backup tab shows the cached backups, and each action shows that it needs a connection',
  async () => {
    const contract = await createSubscribedContract('away')
    for (let index = 0; index < 6; index += 1)
      await backUpNow(fixture.server, acmeSession, contract.serviceId, index % 2 ? 'pdb2rds' : 'pdb2s3')
    await fixture.browser.openAs('admin@acme', getTabPath(contract))
    await expect.poll(readListedBackups).toHaveLength(5)
    await press('Page 2')
    await expect.poll(readListedBackups).toHaveLength(1)
    fixture.browser.goOffline()
    await fixture.browser.open(getTabPath(contract))
    await expect.poll(readListedBackups).toHaveLength(5)
    expect(document.querySelector('.problem')).toBeNull()
    await findText('The latest 30 of each kind, for 90 days')
    const offlineReason = 'This needs a connection.'
    await expect.poll(() => readDescription(getButton('Back up now'))).toBe(offlineReason)
    const readRestoreReasons = () =>
      screen.getAllByRole('button', { name: /^Restore the backup of/ }).map(readDescription)
    await expect.poll(readRestoreReasons).toEqual(Array.from({ length: 5 }, () => offlineReason))
  },
  120_000,
)
