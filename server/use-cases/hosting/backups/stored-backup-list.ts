import { isProvider } from '#domain/access.ts'
import { toTimestamp } from '#domain/time.ts'
import type { listBackups, StoredBackupRow } from '#contract/backups.ts'
import type { RowRef } from '#contract/endpoint.ts'
import { isCompanyService, type ServiceKey } from '#server/db/hosting/backups.ts'
import * as rows from '#server/db/hosting/stored-backups.ts'
import type { AppContext, UseCaseContext } from '#server/context/context.ts'
import { createNotFoundProblem } from '#server/problems/problem-error.ts'
import { createListUseCase } from '#server/use-cases/list-use-case.ts'
import { runBehindFence } from '#server/use-cases/hosting/run-for-service.ts'
import { getVisibleName } from '#server/use-cases/hosting/running-operation.ts'

/** Returns more fields than the contract; the output schema removes them. `isForProvider` includes staff names. */
export function toStoredBackupRow(
  { config }: Pick<AppContext, 'config'>,
  row: rows.StoredBackup,
  isForProvider: boolean,
): StoredBackupRow {
  const requester = { userId: row.user_id ?? 0, userName: row.user_name ?? '', byProvider: row.by_provider }
  return {
    ...row,
    user_name: getVisibleName(requester, isForProvider),
    start_time: toTimestamp(config.timeZone, row.create_time),
    end_time: row.end_time === null ? null : toTimestamp(config.timeZone, row.end_time),
    duration: row.end_time === null ? null : row.end_time - row.create_time,
  }
}

/** Throws NOT_FOUND if the caller may not see the service. A service without an instance can still have backups. */
export const runForBackups = <T>(
  context: UseCaseContext,
  id: RowRef,
  work: (serviceRef: ServiceKey) => Promise<T>,
): Promise<T> =>
  runBehindFence(context, 'service', id, async (companyId, serviceId) => {
    if (!(await isCompanyService(context.db, { companyId, serviceId }))) throw createNotFoundProblem()
    return await work({ companyId, serviceId })
  })

export const storedBackupList = createListUseCase<typeof listBackups, ServiceKey, rows.StoredBackup>({
  reads: rows.storedBackupReads,
  runInScope: (context, { query }, read) => runForBackups(context, query.serviceId, read),
  toRow: ({ app, caller }, row) => toStoredBackupRow(app, row, isProvider(caller)),
})
