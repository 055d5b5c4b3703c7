/**
 * Adds uploaded packages and the icons and change logs in them. The file of an upload is stored until the upload is published or expires. A
 * hash identifies each published package.
 */
import { type Kysely, sql } from 'kysely'
import { allow, fence, share } from '#server/db/migrations/tenancy.ts'

export const kind = 'breaking'

export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table web_resource (
      id text collate "C" primary key,
      kind text collate "C" not null check (kind in ('icon', 'changelog')),
      type text collate "C" not null,
      bytes bytea not null,
      create_time bigint not null
    )`.execute(db)
  await sql`create index web_resource_age on web_resource (create_time)`.execute(db)
  await share(db, 'web_resource', ['insert'])
  await allow(db, 'web_resource', [], ['delete'])

  const digest = sql`'^[0-9a-f]{64}$'`
  // Null if the version was published before packages existed.
  await sql`alter table app_version add column sha256 text collate "C" check (sha256 ~ ${digest})`.execute(db)
  for (const column of ['icon', 'markdown']) {
    const [name, index] = [sql.ref(`app_version_${column}`), sql.ref(`app_version_${column}_used`)]
    await sql`alter table app_version add constraint ${name} foreign key (${sql.ref(column)}) references web_resource (id)`.execute(
      db,
    )
    await sql`create index ${index} on app_version (${sql.ref(column)})`.execute(db)
  }

  await sql`
    create table app_upload (
      id text collate "C" primary key,
      user_id integer not null references portal_user (id),
      company_id integer not null references company (id),
      name text not null,
      size integer not null,
      md5 text collate "C" check (md5 ~ '^[0-9a-f]{32}$'),
      sha256 text collate "C" check (sha256 ~ ${digest}),
      manifest jsonb,
      fault jsonb,
      icon text collate "C" references web_resource (id),
      markdown text collate "C" references web_resource (id),
      lease text collate "C",
      lease_until bigint not null default 0,
      published bigint,
      until bigint not null,
      create_time bigint not null
    )`.execute(db)
  await sql`create unique index app_upload_md5 on app_upload (user_id, md5) where published is null`.execute(db)
  await sql`create index app_upload_until on app_upload (until)`.execute(db)
  const rights = ['select', 'insert', 'update', 'delete'] as const
  await fence(db, 'app_upload', { app: rights, system: rights })
}
