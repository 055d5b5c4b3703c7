/** Backups of a service as they are listed: what ran, when, and how it ended. */
import { isProvider } from '#domain/access.ts'
import { toTimestamp } from '#domain/time.ts'
import type { listBackups, StoredBackupRow } from '#contract/backups.ts'
import type { RowRef } from '#contract/endpoint.ts'
import { readChangeNumber } from '#server/db/change-numbers.ts'
import { isCompanyService, type ServiceKey } from '#server/db/hosting/backups.ts'
import * as rows from '#server/db/hosting/stored-backups.ts'
import type { AppContext, UseCase, UseCaseContext } from '#server/context/context.ts'
import { createNotFoundProblem } from '#server/problems/problem-error.ts'
import { runBehindFence } from '#server/use-cases/hosting/run-for-service.ts'
import { getVisibleName } from '#server/use-cases/hosting/running-operation.ts'

/** `isForProvider`: whether the provider's own people are told by name. */
export function toStoredBackupRow(
  { config }: Pick<AppContext, 'config'>,
  row: rows.StoredBackup,
  isForProvider: boolean,
): StoredBackupRow {
  const { id, service_id, service_code, pdb_type, state, cause, bytes, tables, key_id, fault, row_version } = row
  const requester = { userId: row.user_id ?? 0, userName: row.user_name ?? '', byProvider: row.by_provider }
  return {
    id,
    service_id,
    service_code,
    pdb_type,
    state,
    cause,
    bytes,
    tables,
    rows: row.rows,
    key_id,
    fault,
    row_version,
    user_name: getVisibleName(requester, isForProvider),
    start_time: toTimestamp(config.timeZone, row.create_time),
    end_time: row.end_time === null ? null : toTimestamp(config.timeZone, row.end_time),
    duration: row.end_time === null ? null : row.end_time - row.create_time,
  }
}

interface BackupListInput {
  query: { serviceId: RowRef }
}

/** Throws NOT_FOUND for a service that is none of the caller's business; one whose system is gone has backups still. */
export const runForBackups = <T>(
  context: UseCaseContext,
  id: RowRef,
  work: (serviceRef: ServiceKey) => Promise<T>,
): Promise<T> =>
  runBehindFence(context, 'service', id, async (companyId, serviceId) => {
    if (!(await isCompanyService(context.db, { companyId, serviceId }))) throw createNotFoundProblem()
    return await work({ companyId, serviceId })
  })

const toRows = ({ app, caller }: UseCaseContext, backups: readonly rows.StoredBackup[]) =>
  backups.map((row) => toStoredBackupRow(app, row, isProvider(caller)))

export const storedBackupList = {
  readLatestChange: (context: UseCaseContext, { query }: BackupListInput) =>
    runForBackups(context, query.serviceId, ({ companyId }) => readChangeNumber(context.db, companyId)),

  readPage: ((context, { query }) =>
    runForBackups(context, query.serviceId, async (serviceRef) => {
      const { count, rows: backups } = await rows.readStoredBackupPage(context.db, serviceRef, query)
      return { body: { count, data: toRows(context, backups) } }
    })) satisfies UseCase<typeof listBackups>,

  readChanges: (context: UseCaseContext, { query }: BackupListInput, since: number | null) =>
    runForBackups(context, query.serviceId, async (serviceRef) => {
      const { changed: changedBackups, ...rest } = await rows.readStoredBackupChanges(context.db, serviceRef, since)
      return { changed: toRows(context, changedBackups), ...rest }
    }),

  readRowsAfter: (context: UseCaseContext, { query }: BackupListInput, id: number, maxRows: number) =>
    runForBackups(context, query.serviceId, async (serviceRef) =>
      toRows(context, await rows.listStoredBackupsAfter(context.db, serviceRef, { id, limit: maxRows })),
    ),
}
