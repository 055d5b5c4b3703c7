/** The trail's chains of hashes in pieces, for a walk that may be stopped anywhere and goes on where it was (S-91). */
import { sql } from 'kysely'
import type { Handle } from '#server/db/handle.ts'

export interface Chain {
  companyId: number
  /** Null: of callers that belong to no company. */
  companyCode: string | null
  rows: number
}

/** Every company that has a trail, or the one that is named, with the length of its chain. */
export async function chainsOf(db: Handle, companyId: number | null): Promise<Chain[]> {
  const { rows } = await sql<Chain>`
    select chain.company_id as "companyId", company.code as "companyCode", chain.rows
    from (
      select company_id, count(*) as rows from trail
      where ${companyId}::integer is null or company_id = ${companyId}::integer group by company_id
    ) chain left join company on company.id = chain.company_id order by chain.company_id`.execute(db)
  return rows
}

export interface Link {
  id: number
  hash: string
  /** Its hash is not that of its content, or it does not follow the row before it. */
  broken: boolean
}

/** The next links after `id`, whose own hash was `hash`; empty at the end of the chain. */
export async function linksAfter(
  db: Handle,
  { companyId, id, hash, most }: { companyId: number; id: number; hash: string; most: number },
): Promise<Link[]> {
  // The piece is cut out first: a window over the whole rest of the chain would make the walk quadratic.
  const { rows } = await sql<Link>`
    select id, hash, hash is distinct from content or previous is distinct from before as broken
    from (
      select (entry).id, (entry).hash, (entry).previous, trail_hash(entry) as content,
        lag((entry).hash, 1, ${hash}) over (order by (entry).id) as before
      from (select trail as entry from trail where company_id = ${companyId} and id > ${id} order by id limit ${most}) piece
    ) links order by id`.execute(db)
  return rows
}
