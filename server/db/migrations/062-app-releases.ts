/**
 * Adds the latest version of each app, and to each service how many of its apps have a newer version (decision 117). A publication writes one
 * row, however many services have the app. A trigger writes it, so that a server of the previous build does it too.
 *
 * Adds to each user whether they have hidden the first steps (decision 112).
 */
import { type Kysely, sql } from 'kysely'
import { allow, share } from '#server/db/migrations/tenancy.ts'

export const kind = 'compatible'

export async function up(db: Kysely<unknown>): Promise<void> {
  // `service_change` is the change number, in the list of services, of the latest publication.
  await sql`
    create table app_release (
      code text collate "C" primary key,
      version text collate "C" not null,
      version_parts integer[] not null,
      service_change bigint not null
    )`.execute(db)
  await share(db, 'app_release', [])
  await allow(db, 'app_release', [], ['insert', 'update'])
  await recordPublications(db)
  await addColumns(db)
  await sql`alter table portal_user add column is_setup_hidden boolean not null default false`.execute(db)
  // A new number, so that devices read the services again, whose stored rows lack the number of newer apps. Taken last, because its lock
  // lasts until the commit: a running server that holds a table and waits for the number would otherwise be waited for.
  await sql`
    insert into app_release (code, version, version_parts, service_change)
    select distinct on (code) code, version, version_parts, number.change
    from app_version, (select next_service_change() as change) number
    order by code, version_parts desc`.execute(db)
}

/**
 * The change number is always taken, also if no service has the app: a service that gets the previous version at the same time then has
 * either a lower number, or sees the publication.
 */
async function recordPublications(db: Kysely<unknown>): Promise<void> {
  await sql`
    create function record_app_release() returns trigger
    language plpgsql security definer
    set search_path = pg_catalog, public, pg_temp
    as $$
    begin
      insert into public.app_release as release (code, version, version_parts, service_change)
        values (new.code, new.version, new.version_parts, public.next_service_change())
        on conflict (code) do update
          set version = excluded.version, version_parts = excluded.version_parts, service_change = excluded.service_change
          where release.version_parts < excluded.version_parts;
      return null;
    end $$`.execute(db)
  await sql`grant create on schema public to portal_system`.execute(db)
  await sql`alter function record_app_release() owner to portal_system`.execute(db)
  await sql`revoke create on schema public from portal_system`.execute(db)
  await sql`
    create trigger record_app_release after insert on app_version for each row
    execute function record_app_release()`.execute(db)
}

async function addColumns(db: Kysely<unknown>): Promise<void> {
  // A view keeps the columns that it had at its creation, and new columns can only be its last ones.
  const { rows } = await sql<{ definition: string }>`
    select rtrim(pg_get_viewdef('service_row'::regclass), '; ') as definition`.execute(db)
  const [view] = rows
  if (!view) throw new Error('the view service_row does not exist')
  await sql`
    create or replace view service_row with (security_invoker = true) as
    select previous.*,
      case when previous.system_status > 0 and not previous.is_expired then apps.newer else 0 end as newer_apps,
      apps.change as apps_change,
      (select count(*)::integer from app_version) as published_versions
    from (${sql.raw(view.definition)}) previous
    cross join lateral (
      select (count(*) filter (where release.version <> installed.version))::integer as newer,
        coalesce(max(release.service_change), 0) as change
      from service_app installed join app_release release on release.code = installed.code
      where installed.service_id = previous.id and installed.company_id = previous.company_id
    ) apps`.execute(db)
}
