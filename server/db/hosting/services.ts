/** Hosted services as rows. */
import type { Insertable } from 'kysely'
import type { Handle } from '#server/db/handle.ts'
import type { ServiceTable } from '#server/db/tables/tables.ts'

export interface ServiceAddress {
  url: string | null
  admin_url: string | null
}

/** Of any company's service: the code is public, as is the address behind it. */
export async function addressOfService(db: Handle, code: string): Promise<ServiceAddress | null> {
  const row = await db.selectFrom('service').select(['url', 'admin_url']).where('code', '=', code).executeTakeFirst()
  return row ?? null
}

export async function insertService(db: Handle, service: Insertable<ServiceTable>): Promise<number> {
  return (await db.insertInto('service').values(service).returning('id').executeTakeFirstOrThrow()).id
}
