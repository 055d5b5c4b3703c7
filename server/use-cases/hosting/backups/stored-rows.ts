/** Backups of a service as they are listed: what ran, when, and how it ended. */
import { isProvider } from '#domain/access.ts'
import { timestampIn } from '#domain/time.ts'
import type { listBackups, StoredBackupRow } from '#contract/backups.ts'
import type { Id } from '#contract/endpoint.ts'
import { changeOf } from '#server/db/change-numbers.ts'
import { isServiceOf, type OfService } from '#server/db/hosting/backups.ts'
import * as rows from '#server/db/hosting/stored-backups.ts'
import type { AppContext, UseCase, UseCaseContext } from '#server/context/context.ts'
import { notFound } from '#server/problems/problem-error.ts'
import { behindFence } from '#server/use-cases/hosting/acting-on-service.ts'
import { visibleNameOf } from '#server/use-cases/hosting/running-operation.ts'

/** `toProvider`: whether the provider's own people are told by name. */
export function storedRowOf(
  { config }: Pick<AppContext, 'config'>,
  row: rows.StoredBackup,
  toProvider: boolean,
): StoredBackupRow {
  const { id, service_id, service_code, pdb_type, state, cause, bytes, tables, key_id, fault, row_version } = row
  const by = { userId: row.user_id ?? 0, userName: row.user_name ?? '', byProvider: row.by_provider }
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
    user_name: visibleNameOf(by, toProvider),
    start_time: timestampIn(config.timeZone, row.create_time),
    end_time: row.end_time === null ? null : timestampIn(config.timeZone, row.end_time),
    duration: row.end_time === null ? null : row.end_time - row.create_time,
  }
}

interface Asked {
  query: { serviceId: Id }
}

/** Throws NOT_FOUND for a service that is none of the caller's business; one whose system is gone has backups still. */
export const forBackupsOf = <T>(context: UseCaseContext, id: Id, work: (of: OfService) => Promise<T>): Promise<T> =>
  behindFence(context, 'service', id, async (companyId, serviceId) => {
    if (!(await isServiceOf(context.db, { companyId, serviceId }))) throw notFound()
    return await work({ companyId, serviceId })
  })

const told = ({ app, caller }: UseCaseContext, found: readonly rows.StoredBackup[]) =>
  found.map((row) => storedRowOf(app, row, isProvider(caller)))

export const stored = {
  changeNow: (context: UseCaseContext, { query }: Asked) =>
    forBackupsOf(context, query.serviceId, ({ companyId }) => changeOf(context.db, companyId)),

  page: ((context, { query }) =>
    forBackupsOf(context, query.serviceId, async (of) => {
      const { count, rows: found } = await rows.pageOfStored(context.db, of, query)
      return { body: { count, data: told(context, found) } }
    })) satisfies UseCase<typeof listBackups>,

  changes: (context: UseCaseContext, { query }: Asked, since: number | null) =>
    forBackupsOf(context, query.serviceId, async (of) => {
      const { changed, ...rest } = await rows.storedSince(context.db, of, since)
      return { changed: told(context, changed), ...rest }
    }),

  rowsAfter: (context: UseCaseContext, { query }: Asked, id: number, most: number) =>
    forBackupsOf(context, query.serviceId, async (of) =>
      told(context, await rows.storedAfter(context.db, of, { id, most })),
    ),
}
