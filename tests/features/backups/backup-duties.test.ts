/** Tests the backup tasks on the home page, which are computed from the services on the device. */
import { expect, it } from 'vitest'
import type { ServiceRow } from '#contract/services.ts'
import { listBackupDuties } from '#features/backups/home/backup-duties.ts'
import { listRestoreChoices, findRestoreRefusal } from '#features/backups/restore/restore-choices.ts'
import type { StoredBackupRow } from '#contract/backups.ts'

const createService = (fields: Partial<ServiceRow> = {}) =>
  ({
    id: 1,
    company_id: 2,
    code: 'shop',
    name: 'Shop',
    contract_id: 7,
    status: 1,
    system_status: 2,
    is_expired: false,
    operation: null,
    os_pdb2s3: 0,
    os_pdb2rds: 0,
    os_traffic: 0,
    traffic_due: null,
    traffic_disabled: false,
    failing_backups: [],
    stop_date: null,
    erase_date: null,
    ...fields,
  }) as unknown as ServiceRow
const today = '2026-11-26'
const listDuties = (fields: Partial<ServiceRow>) => listBackupDuties([createService(fields)], today)
const listKinds = (fields: Partial<ServiceRow>) => listDuties(fields).map(({ kind }) => kind)

it('listBackupDuties returns nothing if nothing needs attention, or for a service without a contract', () => {
  expect(listKinds({})).toEqual([])
  expect(listKinds({ contract_id: 0, failing_backups: ['pdb2s3'] })).toEqual([])
})

it('listBackupDuties returns failing backups and a suspension by staff, but no suspension for overdue traffic', () => {
  expect(listDuties({ failing_backups: ['pdb2rds'] })).toMatchObject([{ kind: 'failing', type: 'pdb2rds' }])
  expect(listKinds({ os_traffic: 3, traffic_due: '2026-11-25 23:59:59', traffic_disabled: true })).toEqual([])
  expect(listKinds({ traffic_disabled: true })).toEqual(['suspended'])
})

it('listBackupDuties returns when the data of an expired or removed service will be deleted (fault 32a)', () => {
  const expiredFields = { status: 2, stop_date: '2026-11-30', erase_date: '2026-12-30' } as const
  expect(listDuties(expiredFields)).toMatchObject([
    {
      kind: 'deletion',
      isExpired: true,
      stopDate: '2026-11-30',
      deletionDate: '2026-12-30',
      days: 34,
      isUrgent: false,
    },
  ])
  expect(listDuties({ ...expiredFields, stop_date: null, erase_date: '2026-12-03' })).toMatchObject([
    { kind: 'deletion', stopDate: null, days: 7, isUrgent: true },
  ])
  // A service that was removed during its contract, or that has no contract, is not expired.
  expect(listDuties({ erase_date: '2026-12-04', contract_id: 0 })).toMatchObject([{ isExpired: false, days: 8 }])
  expect(listKinds({ erase_date: '2026-11-25' })).toEqual([])
})

const backup = { pdb_type: 'pdb2s3', state: 'done' } as StoredBackupRow

it("The restore targets are the company's services, its own first, each with a reason if it is refused", () => {
  const ownService = createService()
  const services = [
    createService({ id: 2, contract_id: 0 }),
    createService({ id: 3, status: 2 }),
    createService({ id: 4, system_status: 0 }),
    createService({ id: 5, operation: { kind: 'reboot-service' } as ServiceRow['operation'] }),
    createService({ id: 6, company_id: 9 }),
    ownService,
  ]
  expect(listRestoreChoices(backup, ownService, services).map((choice) => [choice.service.id, choice.refusal])).toEqual(
    [
      [1, null],
      [2, 'no_contract'],
      [3, 'expired'],
      [4, 'not_created'],
      [5, 'busy'],
    ],
  )
})

it('findRestoreRefusal refuses a backup that is not complete, and an archive if traffic is suspended', () => {
  for (const state of ['running', 'failed', 'removed'] as const)
    expect(findRestoreRefusal({ ...backup, state }, createService())).toBe('not_done')
  const suspendedService = createService({ traffic_disabled: true })
  expect(findRestoreRefusal(backup, suspendedService)).toBe('traffic_disabled')
  expect(findRestoreRefusal({ ...backup, pdb_type: 'pdb2rds' }, suspendedService)).toBeNull()
})
