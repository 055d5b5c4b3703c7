/** Apps as the provider's staff see them: each in its newest version, and every version that was ever published. */
import { toTimestamp } from '#domain/time.ts'
import type { listAppHistory, listApps } from '#contract/apps.ts'
import * as apps from '#server/db/catalogue/apps.ts'
import type { AppContext } from '#server/context/context.ts'
import { createListUseCase } from '#server/use-cases/list-use-case.ts'

const toAppRow = ({ config }: AppContext, record: apps.AppRecord) => ({
  id: record.id,
  code: record.code,
  name: record.name,
  version: record.version,
  icon: record.icon,
  markdown: record.markdown,
  flag: record.flags,
  requires: record.requires,
  sha256: record.sha256,
  create_time: toTimestamp(config.timeZone, record.create_time),
  update_time: toTimestamp(config.timeZone, record.update_time),
  row_version: record.row_version,
})

export const appList = createListUseCase<typeof listApps, null, apps.AppRecord>({
  reads: apps.appReads,
  runInScope: (_context, _input, read) => read(null),
  toRow: ({ app }, row) => toAppRow(app, row),
})

const toVersionRow = ({ config }: AppContext, record: apps.AppVersionRecord) => ({
  id: record.id,
  code: record.code,
  name: record.name,
  version: record.version,
  create_time: toTimestamp(config.timeZone, record.create_time),
  icon: record.icon,
  markdown: record.markdown,
  // It is never altered.
  row_version: 1,
})

export const appHistoryList = createListUseCase<typeof listAppHistory, null, apps.AppVersionRecord>({
  reads: apps.appVersionReads,
  runInScope: (_context, _input, read) => read(null),
  toRow: ({ app }, row) => toVersionRow(app, row),
})
