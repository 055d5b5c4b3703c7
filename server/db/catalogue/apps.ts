/** Rows of apps: their published versions, which never change, and the versions that run in a service. */
import { type Insertable, type Selectable, sql } from 'kysely'
import { listAppHistory, listApps } from '#contract/staff/apps.ts'
import { normaliseText } from '#domain/text.ts'
import {
  readCatalogueChangeNumber,
  readCatalogueChanges,
  takeCatalogueChangeNumber,
} from '#server/db/catalogue/catalogue.ts'
import type { DatabaseHandle } from '#server/db/database.ts'
import { hasValues } from '#server/db/has-values.ts'
import { type ListReads, readListPage } from '#server/db/list-query.ts'
import { restoredVersionFloor } from '#server/db/restored-numbers.ts'
import type { AppVersionTable } from '#server/db/tables/order-tables.ts'

export type AppRecord = Pick<
  Selectable<AppVersionTable>,
  'id' | 'code' | 'name' | 'version' | 'icon' | 'markdown' | 'flags' | 'requires' | 'sha256' | 'change' | 'create_time'
> & { update_time: number; row_version: number; deleted: boolean }

const selectLatestVersions = (db: DatabaseHandle) =>
  db.selectFrom('app_version').where(
    sql<boolean>`not exists (select from app_version later
        where later.code = app_version.code and later.version_parts > app_version.version_parts)`,
  )

const selectFromVersions = <T>(expression: string) =>
  sql<T>`(select ${sql.raw(expression)} from app_version each where each.code = app_version.code)`
// An app has the id and creation time of its first version. They stay the same when a new version is published.
const appId = selectFromVersions<number>('min(each.id)')
const appCreateTime = selectFromVersions<number>('min(each.create_time)')

const selectApps = (db: DatabaseHandle) =>
  selectLatestVersions(db)
    .select([
      'code',
      'name',
      'version',
      'icon',
      'markdown',
      'flags',
      'requires',
      'sha256',
      'change',
      'create_time as update_time',
    ])
    .select([
      appId.as('id'),
      appCreateTime.as('create_time'),
      sql<number>`${selectFromVersions<number>('count(*)')} + ${restoredVersionFloor}`.as('row_version'),
      sql<boolean>`false`.as('deleted'),
    ])

const selectVersions = (db: DatabaseHandle) =>
  db.selectFrom('app_version').selectAll().select(sql<boolean>`false`.as('deleted'))
export type AppVersionRecord = Selectable<AppVersionTable> & { deleted: boolean }

const versionColumns = {
  id: sql.ref('app_version.id'),
  code: { value: sql.ref('app_version.code'), folded: sql.ref('app_version.code_key') },
  name: { value: sql.ref('app_version.name'), folded: sql.ref('app_version.name_key') },
  version: { value: sql.ref('app_version.version'), folded: sql.ref('app_version.version') },
  create_time: sql`app_version.create_time / 1000`,
}
const appColumns = {
  ...versionColumns,
  id: appId,
  create_time: sql`${appCreateTime} / 1000`,
  update_time: versionColumns.create_time,
}

export const appReads: ListReads<null, AppRecord> = {
  readLatestChange: readCatalogueChangeNumber,
  readPage: (db, _, query) => readListPage(selectApps(db), listApps, appColumns, query),
  // A new version is always higher than the earlier versions (D79), so the latest version has the change number of the app's last change.
  readChanges: (db, _, since) => readCatalogueChanges(db, selectApps(db), since),
  readRowsAfter: (db, _, id, limit) => selectApps(db).where(appId, '>', id).orderBy(appId).limit(limit).execute(),
}

export const appVersionReads: ListReads<null, AppVersionRecord> = {
  readLatestChange: readCatalogueChangeNumber,
  readPage: (db, _, query) => readListPage(selectVersions(db), listAppHistory, versionColumns, query),
  readChanges: (db, _, since) => readCatalogueChanges(db, selectVersions(db), since),
  readRowsAfter: (db, _, id, limit) => selectVersions(db).where('id', '>', id).orderBy('id').limit(limit).execute(),
}

/** Returns the latest version of each app. Modules run these versions. */
export const listLatestApps = (db: DatabaseHandle) =>
  selectLatestVersions(db).select(['code', 'version', 'requires', 'flags']).execute()

/** Like `listLatestApps`, with the hash that identifies each package. */
export const listLatestPackages = (db: DatabaseHandle) =>
  selectLatestVersions(db).select(['code', 'version', 'requires', 'sha256']).execute()

export const listInstallableApps = (db: DatabaseHandle) =>
  selectLatestVersions(db).select(['code', 'name', 'version', 'flags', 'sha256']).execute()

export type NewAppVersion = Omit<Insertable<AppVersionTable>, 'code_key' | 'name_key' | 'change'>

export async function insertAppVersion(db: DatabaseHandle, version: NewAppVersion): Promise<void> {
  const searchKeys = { code_key: normaliseText(version.code), name_key: normaliseText(version.name) }
  await db
    .insertInto('app_version')
    .values({ ...version, ...searchKeys, change: await takeCatalogueChangeNumber(db) })
    .execute()
}

/**
 * Returns the version of each app in the service. Empty if nothing runs in the service, or if it was created before versions were recorded.
 */
export async function listAppsOfService(
  db: DatabaseHandle,
  { companyId, code }: { companyId: number; code: string },
): Promise<Map<string, string>> {
  const rows = await db
    .selectFrom('service_app')
    .innerJoin('service', 'service.id', 'service_app.service_id')
    .select(['service_app.code', 'service_app.version'])
    .where('service.company_id', '=', companyId)
    .where(hasValues({ 'service_app.company_id': companyId, 'service.code': code }))
    .execute()
  return new Map(rows.map((row) => [row.code, row.version]))
}

/** Replaces the recorded apps of the service. Needs the system role. */
export async function replaceServiceApps(
  db: DatabaseHandle,
  service: { id: number; companyId: number },
  versionsByCode: ReadonlyMap<string, string>,
): Promise<void> {
  await db.deleteFrom('service_app').where('service_id', '=', service.id).execute()
  const rows = [...versionsByCode].map(([code, version]) => ({
    service_id: service.id,
    company_id: service.companyId,
    code,
    version,
  }))
  if (rows.length > 0) await db.insertInto('service_app').values(rows).execute()
}
