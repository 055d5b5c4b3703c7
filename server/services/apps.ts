/** Apps as the provider's staff see them: each in its newest version, and every version that was ever published. */
import { timestampIn } from '#domain/time.ts'
import type { listAppHistory, listApps } from '#contract/apps.ts'
import * as apps from '#server/db/apps.ts'
import { catalogueChange } from '#server/db/catalogue.ts'
import type { Context, House, Service } from '#server/house.ts'

const changeNow = ({ db }: Context) => catalogueChange(db)

const appOf = ({ config }: House, record: apps.AppRecord) => ({
  id: record.id,
  code: record.code,
  name: record.name,
  version: record.version,
  icon: record.icon,
  markdown: record.markdown,
  flag: record.flags,
  create_time: timestampIn(config.timeZone, record.create_time),
  update_time: timestampIn(config.timeZone, record.update_time),
  row_version: record.row_version,
})

export const list = {
  changeNow,

  page: (async ({ db, house }, { query }) => {
    const { count, rows } = await apps.pageOfApps(db, query)
    return { body: { count, data: rows.map((row) => appOf(house, row)) } }
  }) satisfies Service<typeof listApps>,

  async changes({ db, house }: Context, _input: unknown, since: number | null) {
    const { changed, ...rest } = await apps.appsSince(db, since)
    return { changed: changed.map((row) => appOf(house, row)), ...rest }
  },

  async rowsAfter({ db, house }: Context, _input: unknown, id: number, most: number) {
    return (await apps.appsAfter(db, id, most)).map((row) => appOf(house, row))
  },
}

const versionOf = ({ config }: House, record: apps.AppVersionRecord) => ({
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

  page: (async ({ db, house }, { query }) => {
    const { count, rows } = await apps.pageOfVersions(db, query)
    return { body: { count, data: rows.map((row) => versionOf(house, row)) } }
  }) satisfies Service<typeof listAppHistory>,

  async changes({ db, house }: Context, _input: unknown, since: number | null) {
    const { changed, ...rest } = await apps.versionsSince(db, since)
    return { changed: changed.map((row) => versionOf(house, row)), ...rest }
  },

  async rowsAfter({ db, house }: Context, _input: unknown, id: number, most: number) {
    return (await apps.versionsAfter(db, id, most)).map((row) => versionOf(house, row))
  },
}
