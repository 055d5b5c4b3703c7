/**
 * Creates the two roles that all work runs in (S-83, N-11). Neither role can log in, own a table, change the schema or bypass row-level
 * security. The server's login is a plain member of both.
 *
 * RESET ROLE would leave these roles, and with the embedded database the session would then be a superuser's. The statement cannot be
 * injected, because SQL is never built from user text: values are parameters, the protocol then accepts only one statement at a time, and
 * identifiers come from the portal's own column tables.
 */
import { type Kysely, sql } from 'kysely'

/** Condition that the current login may set this role. Before PostgreSQL 16 every member may; since then it is a separate right. */
const mayActAs = (role: string) => sql`(
  pg_has_role(current_user, ${sql.lit(role)}, 'usage') and pg_has_role(current_user, ${sql.lit(role)},
    case when current_setting('server_version_num')::integer >= 160000 then 'set' else 'member' end))`

export const kind = 'breaking'

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const role of ['portal_app', 'portal_system']) {
    // Roles belong to the whole cluster. Another database or the operator may already have created them, so the owner of the schema may
    // lack the right to create roles.
    await sql`
      do $$ begin
        if not exists (select from pg_roles where rolname = ${sql.lit(role)}) then
          create role ${sql.raw(role)} nologin noinherit nobypassrls nosuperuser nocreatedb nocreaterole;
        end if;
      exception when duplicate_object or unique_violation then null;
      end $$`.execute(db)
    await sql`
      do $$ begin
        if not ${mayActAs(role)} then
          grant ${sql.raw(role)} to current_user;
        end if;
      end $$`.execute(db)
    await sql`grant usage on schema public to ${sql.raw(role)}`.execute(db)
  }
  // Before PostgreSQL 15 every user may create tables in this schema.
  await sql`revoke create on schema public from public`.execute(db)
}
