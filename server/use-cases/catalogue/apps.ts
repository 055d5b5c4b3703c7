/** Apps as the provider's staff see them: each in its newest version, and every version that was ever published. */
import { toTimestamp } from '#domain/time.ts'
import type { listAppHistory, listApps } from '#contract/apps.ts'
import * as apps from '#server/db/catalogue/apps.ts'
import { readCatalogueChangeNumber } from '#server/db/catalogue/catalogue.ts'
import type { UseCaseContext, AppContext, UseCase } from '#server/context/context.ts'

const readChangeNumber = ({ db }: UseCaseContext) => readCatalogueChangeNumber(db)

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

export const appList = {
  readLatestChange: readChangeNumber,

  readPage: (async ({ db, app }, { query }) => {
    const { count, rows } = await apps.readAppPage(db, query)
    return { body: { count, data: rows.map((row) => toAppRow(app, row)) } }
  }) satisfies UseCase<typeof listApps>,

  async readChanges({ db, app }: UseCaseContext, _input: unknown, since: number | null) {
    const { changed: changedRecords, ...rest } = await apps.readAppChanges(db, since)
    return { changed: changedRecords.map((row) => toAppRow(app, row)), ...rest }
  },

  async readRowsAfter({ db, app }: UseCaseContext, _input: unknown, id: number, maxRows: number) {
    return (await apps.listAppsAfter(db, id, maxRows)).map((row) => toAppRow(app, row))
  },
}

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

export const appHistoryList = {
  readLatestChange: readChangeNumber,

  readPage: (async ({ db, app }, { query }) => {
    const { count, rows } = await apps.readVersionPage(db, query)
    return { body: { count, data: rows.map((row) => toVersionRow(app, row)) } }
  }) satisfies UseCase<typeof listAppHistory>,

  async readChanges({ db, app }: UseCaseContext, _input: unknown, since: number | null) {
    const { changed: changedRecords, ...rest } = await apps.readVersionChanges(db, since)
    return { changed: changedRecords.map((row) => toVersionRow(app, row)), ...rest }
  },

  async readRowsAfter({ db, app }: UseCaseContext, _input: unknown, id: number, maxRows: number) {
    return (await apps.listVersionsAfter(db, id, maxRows)).map((row) => toVersionRow(app, row))
  },
}
