/** Apps as the provider's staff see them: each in its newest version, and every version that was ever published. */
import { timestampIn } from '#domain/time.ts'
import type { listAppHistory, listApps } from '#contract/apps.ts'
import * as apps from '#server/db/catalogue/apps.ts'
import { catalogueChange } from '#server/db/catalogue/catalogue.ts'
import type { UseCaseContext, AppContext, UseCase } from '#server/context/context.ts'

const changeNow = ({ db }: UseCaseContext) => catalogueChange(db)

const appOf = ({ config }: AppContext, record: apps.AppRecord) => ({
  id: record.id,
  code: record.code,
  name: record.name,
  version: record.version,
  icon: record.icon,
  markdown: record.markdown,
  flag: record.flags,
  requires: record.requires,
  sha256: record.sha256,
  create_time: timestampIn(config.timeZone, record.create_time),
  update_time: timestampIn(config.timeZone, record.update_time),
  row_version: record.row_version,
})

export const list = {
  changeNow,

  page: (async ({ db, app }, { query }) => {
    const { count, rows } = await apps.pageOfApps(db, query)
    return { body: { count, data: rows.map((row) => appOf(app, row)) } }
  }) satisfies UseCase<typeof listApps>,

  async changes({ db, app }: UseCaseContext, _input: unknown, since: number | null) {
    const { changed, ...rest } = await apps.appsSince(db, since)
    return { changed: changed.map((row) => appOf(app, row)), ...rest }
  },

  async rowsAfter({ db, app }: UseCaseContext, _input: unknown, id: number, most: number) {
    return (await apps.appsAfter(db, id, most)).map((row) => appOf(app, row))
  },
}

const versionOf = ({ config }: AppContext, record: apps.AppVersionRecord) => ({
  id: record.id,
  code: record.code,
  name: record.name,
  version: record.version,
  create_time: timestampIn(config.timeZone, record.create_time),
  icon: record.icon,
  markdown: record.markdown,
  // It is never altered.
  row_version: 1,
})

export const history = {
  changeNow,

  page: (async ({ db, app }, { query }) => {
    const { count, rows } = await apps.pageOfVersions(db, query)
    return { body: { count, data: rows.map((row) => versionOf(app, row)) } }
  }) satisfies UseCase<typeof listAppHistory>,

  async changes({ db, app }: UseCaseContext, _input: unknown, since: number | null) {
    const { changed, ...rest } = await apps.versionsSince(db, since)
    return { changed: changed.map((row) => versionOf(app, row)), ...rest }
  },

  async rowsAfter({ db, app }: UseCaseContext, _input: unknown, id: number, most: number) {
    return (await apps.versionsAfter(db, id, most)).map((row) => versionOf(app, row))
  },
}
