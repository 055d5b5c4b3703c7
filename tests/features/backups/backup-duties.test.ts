/** What of the backups home asks for, out of the services that the device has. */
import { expect, it } from 'vitest'
import type { ServiceRow } from '#contract/services.ts'
import { dutiesOf } from '#features/backups/home/backup-duties.ts'
import { choicesOf, whyNotRestorable } from '#features/backups/restore/choices.ts'
import type { StoredBackupRow } from '#contract/backups.ts'

const service = (fields: Partial<ServiceRow> = {}) =>
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
    ...fields,
  }) as unknown as ServiceRow
const kinds = (fields: Partial<ServiceRow>) =>
  dutiesOf([service(fields)], '2026-11-26').map(({ kind, type }) => [kind, type])

it('asks for nothing where all is well, nor of a service without a contract', () => {
  expect(kinds({})).toEqual([])
  expect(kinds({ contract_id: 0, failing_backups: ['pdb2s3'], os_pdb2s3: 4 })).toEqual([])
})

it('names what is broken before what is to be paid', () => {
  expect(kinds({ os_pdb2s3: 4, os_pdb2rds: 5, failing_backups: ['pdb2rds'] })).toEqual([
    ['failing', 'pdb2rds'],
    ['unpaid', 'pdb2s3'],
    ['unpaid', 'pdb2rds'],
  ])
})

it('tells traffic that is to be paid from what is overdue by the business day, and a suspension by the staff from one of overdue traffic', () => {
  expect(kinds({ os_traffic: 3, traffic_due: '2026-11-26 23:59:59' })).toEqual([['traffic', 'pdb2s3']])
  expect(kinds({ os_traffic: 3, traffic_due: '2026-11-25 23:59:59', traffic_disabled: true })).toEqual([
    ['overdue', 'pdb2s3'],
  ])
  expect(kinds({ traffic_disabled: true })).toEqual([['suspended', 'pdb2s3']])
})

const backup = { pdb_type: 'pdb2s3', state: 'done' } as StoredBackupRow

it('offers services of the same company alone, its own first, each with what is against it', () => {
  const own = service()
  const all = [
    service({ id: 2, contract_id: 0 }),
    service({ id: 3, status: 2 }),
    service({ id: 4, system_status: 0 }),
    service({ id: 5, operation: { kind: 'reboot-service' } as ServiceRow['operation'] }),
    service({ id: 6, company_id: 9 }),
    own,
  ]
  expect(choicesOf(backup, own, all).map((choice) => [choice.service.id, choice.whyNot])).toEqual([
    [1, null],
    [2, 'no_contract'],
    [3, 'expired'],
    [4, 'not_created'],
    [5, 'busy'],
  ])
})

it('cannot restore what is not there, nor an archive whose traffic is suspended', () => {
  for (const state of ['running', 'failed', 'removed'] as const)
    expect(whyNotRestorable({ ...backup, state }, service())).toBe('not_done')
  const suspended = service({ traffic_disabled: true })
  expect(whyNotRestorable(backup, suspended)).toBe('traffic_disabled')
  expect(whyNotRestorable({ ...backup, pdb_type: 'pdb2rds' }, suspended)).toBeNull()
})
