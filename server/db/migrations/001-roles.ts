/**
 * The two roles that every piece of work puts on (S-83, N-11): neither logs in, neither owns a table, neither may change
 * the schema or step over row-level security. A login is a plain member of both.
 *
 * RESET ROLE would lead out of them, and with the embedded database to a superuser. It is out of reach because no SQL is
 * ever built from strings: values travel as parameters, the protocol takes one statement at a time with them, and
 * identifiers come from our own tables of columns.
 */
import { type Kysely, sql } from 'kysely'

/** Before version 16 every member may act as the role it is a member of; since then that is a right of its own. */
const mayActAs = (role: string) => sql`(
  pg_has_role(current_user, ${sql.lit(role)}, 'usage') and pg_has_role(current_user, ${sql.lit(role)},
    case when current_setting('server_version_num')::integer >= 160000 then 'set' else 'member' end))`

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const role of ['portal_app', 'portal_system']) {
    // Roles belong to the whole cluster: another database may have made them, or the operator, whose owner of the schema
    // need not be allowed to make any.
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
  // Before version 15 everybody may create tables here.
  await sql`revoke create on schema public from public`.execute(db)
}
