import { toTimestamp } from '#domain/time.ts'
import type { listAppHistory, listApps } from '#contract/staff/apps.ts'
import * as apps from '#server/db/catalogue/apps.ts'
import type { AppContext } from '#server/context/context.ts'
import { createListUseCase } from '#server/use-cases/list-use-case.ts'

const toAppRow = ({ config }: AppContext, record: apps.AppRecord) => ({
  ...record,
  flag: record.flags,
  create_time: toTimestamp(config.timeZone, record.create_time),
  update_time: toTimestamp(config.timeZone, record.update_time),
})

export const appList = createListUseCase<typeof listApps, null, apps.AppRecord>({
  reads: apps.appReads,
  runInScope: (_context, _input, read) => read(null),
  toRow: ({ app }, row) => toAppRow(app, row),
})

const toVersionRow = ({ config }: AppContext, record: apps.AppVersionRecord) => ({
  ...record,
  create_time: toTimestamp(config.timeZone, record.create_time),
  // A published version never changes, so its row version is always 1.
  row_version: 1,
})

export const appHistoryList = createListUseCase<typeof listAppHistory, null, apps.AppVersionRecord>({
  reads: apps.appVersionReads,
  runInScope: (_context, _input, read) => read(null),
  toRow: ({ app }, row) => toVersionRow(app, row),
})
