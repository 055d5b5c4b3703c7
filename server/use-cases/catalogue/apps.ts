/** Apps as the provider's staff see them: each in its newest version, and every version that was ever published. */
import { toTimestamp } from '#domain/time.ts'
import * as apps from '#server/db/catalogue/apps.ts'
import type { AppContext } from '#server/context/context.ts'
import { createCatalogueList } from '#server/use-cases/catalogue/catalogue-list.ts'

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

export const appList = createCatalogueList(apps.appSource, ({ app }, record) => toAppRow(app, record))

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

export const appHistoryList = createCatalogueList(apps.versionSource, ({ app }, record) => toVersionRow(app, record))
